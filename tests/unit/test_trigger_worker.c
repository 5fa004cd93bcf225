/* daemon.trigger_worker, with a script in the place of profctl. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/triggers/trigger_worker.h"
#include "tests/unit/run_suite.h"

static char folder[64], program[96], socket_path[96], text[TRIGGER_WORKER_TEXT_BYTES];
static struct trigger_worker worker;
static int folder_fd;

static void write_file(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(bytes, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0700), 0);
}

static void set_up(void)
{
    worker = (struct trigger_worker){ 0 };
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(folder_fd, 0);
    snprintf(program, sizeof(program), "%s/profctl", folder);
    snprintf(socket_path, sizeof(socket_path), "%s/socket", folder);
    write_file(socket_path, "");
}

static void tear_down(void)
{
    char command[96];

    close(folder_fd);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Runs SCRIPT as the worker; returns what finishing says, with its words in text. */
static int run_script(const char *script, uint64_t last_ms)
{
    char whole[512];
    int status;

    snprintf(whole, sizeof(whole), "#!/bin/sh\n%s\n", script);
    write_file(program, whole);
    ck_assert_int_eq(
        trigger_worker_start(&worker, program, socket_path, folder_fd, "out.json", last_ms), 0);
    ck_assert_int_eq(waitpid(worker.pid, &status, 0), worker.pid);
    int error = trigger_worker_finish(&worker, status, text);
    ck_assert_int_eq(worker.pid, 0);
    return error;
}

START_TEST(it_asks_for_a_capture_of_the_file_by_the_socket)
{
    char expected[256];

    ck_assert_int_eq(run_script("echo \"$@\"", 0), 0);
    snprintf(expected, sizeof(expected), "--quiet --socket %s capture -o out.json", socket_path);
    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(it_asks_for_the_last_milliseconds_alone)
{
    ck_assert_int_eq(run_script("echo \"$7 $8 $9\"", 1500), 0);
    ck_assert_str_eq(text, "--last 1500ms ");
}
END_TEST

START_TEST(it_runs_in_the_folder_and_is_not_profiled)
{
    ck_assert_int_eq(run_script("echo made >out.json; echo \"$PROFD_DISABLE\"", 0), 0);
    ck_assert_int_eq(faccessat(folder_fd, "out.json", F_OK, 0), 0);
    ck_assert_str_eq(text, "1");
}
END_TEST

START_TEST(one_that_says_nothing_is_good)
{
    ck_assert_int_eq(run_script("true", 0), 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(its_last_line_without_its_name_is_why_it_failed)
{
    ck_assert_int_eq(run_script("echo first; echo 'profctl: no space' >&2; exit 1", 0), -EIO);
    ck_assert_str_eq(text, "no space");
}
END_TEST

START_TEST(one_that_fails_without_a_word_has_a_status)
{
    ck_assert_int_eq(run_script("exit 7", 0), -EIO);
    ck_assert_ptr_nonnull(strstr(text, "7"));
}
END_TEST

START_TEST(one_that_was_killed_says_by_which_signal)
{
    ck_assert_int_eq(run_script("kill -9 $$", 0), -EIO);
    ck_assert_ptr_nonnull(strstr(text, "signal 9"));
}
END_TEST

START_TEST(a_long_line_is_cut)
{
    ck_assert_int_eq(run_script("head -c 1000 /dev/zero | tr '\\0' x; exit 1", 0), -EIO);
    ck_assert_uint_eq(strlen(text), TRIGGER_WORKER_TEXT_BYTES - 1);
}
END_TEST

START_TEST(one_that_is_not_there_says_so)
{
    int status;

    ck_assert_int_eq(
        trigger_worker_start(&worker, "/nowhere/profctl", socket_path, folder_fd, "out.json", 0),
        0);
    ck_assert_int_eq(waitpid(worker.pid, &status, 0), worker.pid);
    ck_assert_int_eq(trigger_worker_finish(&worker, status, text), -ENOENT);
    ck_assert_ptr_nonnull(strstr(text, strerror(ENOENT)));
}
END_TEST

START_TEST(without_a_socket_it_does_not_start)
{
    ck_assert_int_eq(
        trigger_worker_start(&worker, program, "/nowhere/socket", folder_fd, "out.json", 0),
        -ENOENT);
    ck_assert_int_eq(worker.pid, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trigger_worker");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, it_asks_for_a_capture_of_the_file_by_the_socket);
    tcase_add_test(all, it_asks_for_the_last_milliseconds_alone);
    tcase_add_test(all, it_runs_in_the_folder_and_is_not_profiled);
    tcase_add_test(all, one_that_says_nothing_is_good);
    tcase_add_test(all, its_last_line_without_its_name_is_why_it_failed);
    tcase_add_test(all, one_that_fails_without_a_word_has_a_status);
    tcase_add_test(all, one_that_was_killed_says_by_which_signal);
    tcase_add_test(all, a_long_line_is_cut);
    tcase_add_test(all, one_that_is_not_there_says_so);
    tcase_add_test(all, without_a_socket_it_does_not_start);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
