/* daemon.kept_file: what a profd that is killed leaves beside its socket. */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/memory/kept_file.h"
#include "daemon/memory/kept_path.h"
#include "tests/unit/run_suite.h"

static char folder[64], socket_path[80], path[96];
static cJSON *document;

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(socket_path, sizeof(socket_path), "%s/sock", folder);
    snprintf(path, sizeof(path), "%s.state", socket_path);
    document = NULL;
}

static void tear_down(void)
{
    char command[96];

    cJSON_Delete(document);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void keep_number(uint64_t number)
{
    cJSON *kept = cJSON_CreateObject();

    kept_add_number(kept, "number", number);
    ck_assert_int_eq(kept_file_write(socket_path, "state", kept), 0);
    cJSON_Delete(kept);
}

static void put_text(const char *text)
{
    FILE *file = fopen(path, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(what_was_kept_comes_back_as_it_was)
{
    uint64_t number;

    keep_number(UINT64_MAX);
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), 0);
    ck_assert_int_eq(kept_get_number(document, "number", &number), 0);
    ck_assert_uint_eq(number, UINT64_MAX);
}
END_TEST

START_TEST(it_is_for_ours_alone_and_nothing_else_is_left)
{
    struct stat status;
    char command[160];

    keep_number(1);
    keep_number(2);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_mode & 07777, 0600);
    snprintf(command, sizeof(command), "test \"$(ls -A %s)\" = sock.state", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(without_a_file_there_is_nothing)
{
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), -ENOENT);
    ck_assert_ptr_null(document);
}
END_TEST

START_TEST(one_of_another_boot_means_nothing)
{
    put_text("{\"boot\":\"00000000-0000-0000-0000-000000000000\",\"number\":\"1\"}");
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), -ENOENT);
    ck_assert_ptr_null(document);
}
END_TEST

START_TEST(a_damaged_one_is_refused)
{
    static const char *const texts[] = { "", "{", "[]", "{}", "{\"boot\":1}", "nonsense" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        put_text(texts[i]);
        ck_assert_int_eq(kept_file_read(socket_path, "state", &document), -EPROTO);
        ck_assert_ptr_null(document);
    }
}
END_TEST

START_TEST(a_link_is_not_followed)
{
    char target[96];

    keep_number(1);
    snprintf(target, sizeof(target), "%s/elsewhere", folder);
    ck_assert_int_eq(rename(path, target), 0);
    ck_assert_int_eq(symlink(target, path), 0);
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), -ELOOP);
}
END_TEST

START_TEST(what_is_no_file_is_not_waited_for)
{
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), -EPROTO);
}
END_TEST

START_TEST(one_that_cannot_be_written_leaves_the_old_one)
{
    char in_the_way[128];
    cJSON *kept = cJSON_CreateObject();

    keep_number(5);
    snprintf(in_the_way, sizeof(in_the_way), "%s.new", path);
    ck_assert_int_eq(mkdir(in_the_way, 0700), 0);
    ck_assert_int_lt(kept_file_write(socket_path, "state", kept), 0);
    cJSON_Delete(kept);
    uint64_t number;
    ck_assert_int_eq(kept_file_read(socket_path, "state", &document), 0);
    ck_assert_int_eq(kept_get_number(document, "number", &number), 0);
    ck_assert_uint_eq(number, 5);
}
END_TEST

START_TEST(one_that_is_removed_is_gone)
{
    keep_number(1);
    kept_path_remove(socket_path, "state");
    ck_assert_int_eq(access(path, F_OK), -1);
    kept_path_remove(socket_path, "state");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = { "", "-1", " 1", "1x", "99999999999999999999", "x" };
    uint64_t number;

    document = cJSON_CreateObject();
    ck_assert_int_eq(kept_get_number(document, "number", &number), -EPROTO);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cJSON_DeleteItemFromObject(document, "number");
        cJSON_AddStringToObject(document, "number", texts[i]);
        ck_assert_int_eq(kept_get_number(document, "number", &number), -EPROTO);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kept_file");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, what_was_kept_comes_back_as_it_was);
    tcase_add_test(all, it_is_for_ours_alone_and_nothing_else_is_left);
    tcase_add_test(all, without_a_file_there_is_nothing);
    tcase_add_test(all, one_of_another_boot_means_nothing);
    tcase_add_test(all, a_damaged_one_is_refused);
    tcase_add_test(all, a_link_is_not_followed);
    tcase_add_test(all, what_is_no_file_is_not_waited_for);
    tcase_add_test(all, one_that_cannot_be_written_leaves_the_old_one);
    tcase_add_test(all, one_that_is_removed_is_gone);
    tcase_add_test(all, what_is_no_number_is_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
