/* The file of a capture is there as a whole or not at all. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profctl/capture/capture_file.h"
#include "tests/unit/run_suite.h"

static char folder[32];
static struct failure failure;

static void enter_folder(void)
{
    strcpy(folder, "/tmp/capture-file-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    failure = (struct failure){ 0 };
}

static int files_here(void)
{
    DIR *directory = opendir(".");
    int count = 0;

    ck_assert_ptr_nonnull(directory);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

static void leave_folder(void)
{
    unlink("out.json");
    unlink("out.json.gz");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static struct capture_file *begin_file(const char *path)
{
    struct capture_file *file = NULL;

    ck_assert_msg(capture_file_prepare(path, &file, &failure), "%s", failure.text);
    ck_assert_msg(capture_file_create(file, &failure), "%s", failure.text);
    return file;
}

static const char *const names[] = { "out.json", "out.json.gz" };

START_TEST(what_is_committed_is_there_and_nothing_else)
{
    struct capture_file *file = begin_file(names[_i]);

    ck_assert_int_eq(capture_file_write(file, "{}", 2), 0);
    ck_assert_int_eq(access(names[_i], F_OK), -1);
    ck_assert_msg(capture_file_commit(file, &failure), "%s", failure.text);
    capture_file_close(file);
    ck_assert_int_eq(access(names[_i], R_OK), 0);
    ck_assert_int_eq(files_here(), 1);
}
END_TEST

START_TEST(a_committed_file_takes_the_place_of_an_older_one)
{
    char text[4] = "";
    int fd = open("out.json", O_CREAT | O_WRONLY, 0600);
    struct capture_file *file = begin_file("out.json");

    close(fd);
    ck_assert_int_eq(capture_file_write(file, "{}", 2), 0);
    ck_assert_msg(capture_file_commit(file, &failure), "%s", failure.text);
    capture_file_close(file);
    fd = open("out.json", O_RDONLY);
    ck_assert_int_eq(read(fd, text, sizeof(text)), 2);
    close(fd);
}
END_TEST

START_TEST(what_was_not_committed_is_removed)
{
    struct capture_file *file = begin_file(names[_i]);

    ck_assert_int_eq(capture_file_write(file, "{}", 2), 0);
    capture_file_close(file);
    ck_assert_int_eq(files_here(), 0);
}
END_TEST

START_TEST(a_writer_that_is_killed_leaves_nothing)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct capture_file *file = begin_file(names[_i]);
        (void)capture_file_write(file, "{}", 2);
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(files_here(), 0);
}
END_TEST

START_TEST(a_limit_on_file_sizes_is_an_error_like_a_full_disk)
{
    static const struct rlimit limit = { 4096, 4096 };
    static char bytes[8192];
    struct capture_file *file = begin_file("out.json");

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(capture_file_write(file, bytes, sizeof(bytes)), -EFBIG);
    capture_file_close(file);
    ck_assert_int_eq(files_here(), 0);
}
END_TEST

int main(void)
{
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    Suite *suite = suite_create("profctl.capture_file");
    TCase *whole = tcase_create("whole");

    tcase_add_checked_fixture(whole, enter_folder, leave_folder);
    tcase_add_loop_test(whole, what_is_committed_is_there_and_nothing_else, 0, NAMES);
    tcase_add_test(whole, a_committed_file_takes_the_place_of_an_older_one);
    tcase_add_loop_test(whole, what_was_not_committed_is_removed, 0, NAMES);
    tcase_add_loop_test(whole, a_writer_that_is_killed_leaves_nothing, 0, NAMES);
    tcase_add_test(whole, a_limit_on_file_sizes_is_an_error_like_a_full_disk);
    suite_add_tcase(suite, whole);
    return run_suite(suite);
}
