/* Up to when everything is exported, as the next exporter reads it. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/export/covered_file.h"
#include "tests/unit/run_suite.h"

static char folder[64];
static int directory;

static void make_folder(void)
{
    strcpy(folder, "/tmp/profd-test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    directory = open(folder, O_RDONLY | O_DIRECTORY);
}

static void remove_folder(void)
{
    char command[128];

    close(directory);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *text)
{
    int fd = openat(directory, "covered", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int write_covered(uint64_t until_ns)
{
    const struct covered covered = { .until_ns = until_ns };

    return covered_file_write(directory, &covered);
}

START_TEST(what_was_written_last_is_read)
{
    struct covered covered = { 0 };

    ck_assert_int_eq(covered_file_read(directory, &covered), -ENOENT);
    ck_assert_int_eq(write_covered(UINT64_MAX), 0);
    ck_assert_int_eq(write_covered(123456789012345), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), 0);
    ck_assert_uint_eq(covered.until_ns, 123456789012345);
}
END_TEST

START_TEST(a_range_that_has_begun_is_read)
{
    const struct covered begun = { 5, true, UINT64_MAX };
    struct covered covered;

    ck_assert_int_eq(covered_file_write(directory, &begun), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), 0);
    ck_assert(covered.until_ns == 5 && covered.has_begun && covered.first_batch == UINT64_MAX);
    ck_assert_int_eq(write_covered(6), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), 0);
    ck_assert(covered.until_ns == 6 && !covered.has_begun);
}
END_TEST

START_TEST(another_boot_tells_nothing)
{
    struct covered covered;

    write_file("00000000-0000-0000-0000-000000000000 5\n");
    ck_assert_int_eq(covered_file_read(directory, &covered), -ENOENT);
    write_file("");
    ck_assert_int_eq(covered_file_read(directory, &covered), -ENOENT);
}
END_TEST

START_TEST(a_file_that_is_cut_is_told)
{
    struct covered covered;
    char path[128];

    ck_assert_int_eq(write_covered(1), 0);
    snprintf(path, sizeof(path), "%s/covered", folder);
    ck_assert_int_eq(truncate(path, strlen("00000000-0000-0000-0000-000000000000")), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), -EBADMSG);
}
END_TEST

/* It would have the next exporter do again what is done. */
START_TEST(an_old_time_does_not_stay_where_a_new_one_cannot_be_written)
{
    struct covered covered;

    ck_assert_int_eq(write_covered(1), 0);
    ck_assert_int_eq(mkdirat(directory, "covered.new", 0700), 0);
    ck_assert_int_lt(write_covered(2), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), -ENOENT);
}
END_TEST

static void expect_written(void)
{
    struct covered covered = { 0 };

    ck_assert_int_eq(write_covered(7), 0);
    ck_assert_int_eq(covered_file_read(directory, &covered), 0);
    ck_assert_uint_eq(covered.until_ns, 7);
}

START_TEST(a_fifo_in_the_way_holds_nothing_up)
{
    ck_assert_int_eq(mkfifoat(directory, "covered.new", 0600), 0);
    expect_written();
}
END_TEST

START_TEST(nothing_is_written_through_a_link)
{
    struct stat status;

    write_file("mine");
    ck_assert_int_eq(renameat(directory, "covered", directory, "precious"), 0);
    ck_assert_int_eq(symlinkat("precious", directory, "covered.new"), 0);
    expect_written();
    ck_assert_int_eq(fstatat(directory, "precious", &status, 0), 0);
    ck_assert_int_eq(status.st_size, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.covered_file");
    TCase *claims = tcase_create("claims");

    tcase_add_checked_fixture(claims, make_folder, remove_folder);
    tcase_add_test(claims, what_was_written_last_is_read);
    tcase_add_test(claims, a_range_that_has_begun_is_read);
    tcase_add_test(claims, another_boot_tells_nothing);
    tcase_add_test(claims, a_file_that_is_cut_is_told);
    tcase_add_test(claims, an_old_time_does_not_stay_where_a_new_one_cannot_be_written);
    tcase_add_test(claims, a_fifo_in_the_way_holds_nothing_up);
    tcase_add_test(claims, nothing_is_written_through_a_link);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
