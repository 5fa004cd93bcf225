/* daemon.trigger_files: which files of a folder go, and which never do. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/triggers/trigger_files.h"
#include "tests/unit/run_suite.h"

static struct trigger_files files;
static char folder[64];
static int folder_fd;

static void set_up(void)
{
    files = (struct trigger_files){ 0 };
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(folder_fd, 0);
}

static void tear_down(void)
{
    char command[96];

    trigger_files_forget(&files);
    ck_assert_uint_eq(files.count, 0);
    close(folder_fd);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *name)
{
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "capture", 7), 7);
    close(fd);
}

static void add_file(const char *name)
{
    write_file(name);
    ck_assert_int_eq(trigger_files_add(&files, folder_fd, name), 0);
}

static bool is_there(const char *name)
{
    return faccessat(folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

START_TEST(the_oldest_go_first)
{
    add_file("a");
    add_file("b");
    add_file("c");
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 2), 0);
    ck_assert(!is_there("a"));
    ck_assert(is_there("b") && is_there("c"));
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(!is_there("b") && !is_there("c"));
    ck_assert_uint_eq(files.count, 0);
}
END_TEST

START_TEST(as_many_as_are_allowed_stay)
{
    add_file("a");
    add_file("b");
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 2), 0);
    ck_assert(is_there("a") && is_there("b"));
}
END_TEST

START_TEST(files_of_others_in_the_folder_stay)
{
    write_file("notes");
    add_file("a");
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(is_there("notes"));
    ck_assert(!is_there("a"));
}
END_TEST

START_TEST(a_file_that_somebody_put_in_the_place_of_ours_stays)
{
    add_file("a");
    write_file("other");
    ck_assert_int_eq(renameat(folder_fd, "other", folder_fd, "a"), 0);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(is_there("a"));
}
END_TEST

START_TEST(a_file_that_somebody_changed_stays)
{
    static const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1 } };

    add_file("a");
    ck_assert_int_eq(utimensat(folder_fd, "a", times, 0), 0);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(is_there("a"));
}
END_TEST

START_TEST(a_link_is_not_followed)
{
    write_file("valuable");
    add_file("a");
    ck_assert_int_eq(unlinkat(folder_fd, "a", 0), 0);
    ck_assert_int_eq(symlinkat("valuable", folder_fd, "a"), 0);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(is_there("a") && is_there("valuable"));
}
END_TEST

START_TEST(one_that_is_gone_already_is_no_error)
{
    add_file("a");
    add_file("b");
    ck_assert_int_eq(unlinkat(folder_fd, "a", 0), 0);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(!is_there("b"));
}
END_TEST

START_TEST(a_name_that_is_written_again_counts_once_and_as_new)
{
    add_file("a");
    add_file("b");
    add_file("a");
    ck_assert_uint_eq(files.count, 2);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 1), 0);
    ck_assert(is_there("a"));
    ck_assert(!is_there("b"));
}
END_TEST

START_TEST(what_was_not_written_is_not_added)
{
    ck_assert_int_eq(trigger_files_add(&files, folder_fd, "none"), -ENOENT);
    ck_assert_uint_eq(files.count, 0);
}
END_TEST

START_TEST(one_that_cannot_go_keeps_no_other_one)
{
    /* A folder cannot be removed as a file, whoever one is. */
    ck_assert_int_eq(mkdirat(folder_fd, "stuck", 0700), 0);
    ck_assert_int_eq(trigger_files_add(&files, folder_fd, "stuck"), 0);
    add_file("a");
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), -EISDIR);
    ck_assert(is_there("stuck"));
    ck_assert(!is_there("a"));
    ck_assert_uint_eq(files.count, 0);
}
END_TEST

START_TEST(those_that_are_forgotten_stay)
{
    add_file("a");
    trigger_files_forget(&files);
    ck_assert_int_eq(trigger_files_limit(&files, folder_fd, 0), 0);
    ck_assert(is_there("a"));
}
END_TEST

START_TEST(a_whole_path_needs_no_folder)
{
    char path[80];

    snprintf(path, sizeof(path), "%s/%s", folder, "a");
    write_file("a");
    ck_assert_int_eq(trigger_files_add(&files, -1, path), 0);
    ck_assert_int_eq(trigger_files_limit(&files, -1, 0), 0);
    ck_assert(!is_there("a"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trigger_files");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_oldest_go_first);
    tcase_add_test(all, as_many_as_are_allowed_stay);
    tcase_add_test(all, files_of_others_in_the_folder_stay);
    tcase_add_test(all, a_file_that_somebody_put_in_the_place_of_ours_stays);
    tcase_add_test(all, a_file_that_somebody_changed_stays);
    tcase_add_test(all, a_link_is_not_followed);
    tcase_add_test(all, one_that_is_gone_already_is_no_error);
    tcase_add_test(all, a_name_that_is_written_again_counts_once_and_as_new);
    tcase_add_test(all, what_was_not_written_is_not_added);
    tcase_add_test(all, one_that_cannot_go_keeps_no_other_one);
    tcase_add_test(all, those_that_are_forgotten_stay);
    tcase_add_test(all, a_whole_path_needs_no_folder);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
