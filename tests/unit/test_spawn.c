/* daemon.spawn: what a program finds that profd starts. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/children/spawn.h"
#include "tests/unit/run_suite.h"

static char *arguments[] = { "/bin/sh", "-c", NULL, NULL };
static struct spawn_options options;
static struct spawn_failure failure; /* of the latest; stage 0: it ran */
static char output[4096];

static void set_up(void)
{
    options = (struct spawn_options){ .arguments = arguments, .terminal_fd = -1 };
    int output_fd = memfd_create("output", MFD_CLOEXEC);
    options.output_fd =
        fcntl(output_fd, F_DUPFD_CLOEXEC, 40); /* out of the way of the passed ones */
    ck_assert_int_ge(options.output_fd, 40);
    close(output_fd);
}

static void tear_down(void)
{
    close(options.output_fd);
}

/* Runs SCRIPT to its end; returns its wait status. */
static int run_script(const char *script)
{
    int status_fd, status;
    pid_t pid;

    arguments[2] = (char *)script;
    failure = (struct spawn_failure){ 0 };
    ck_assert_int_eq(spawn(&options, &pid, &status_fd), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_ge(read(status_fd, &failure, sizeof(failure)), 0);
    close(status_fd);
    ssize_t got = pread(options.output_fd, output, sizeof(output) - 1, 0);
    output[got > 0 ? got : 0] = '\0';
    return status;
}

START_TEST(a_program_runs_and_says_nothing_of_its_start)
{
    ck_assert_int_eq(run_script("exit 5"), 5 << 8);
    ck_assert_int_eq(failure.stage, 0);
}
END_TEST

START_TEST(the_start_is_over_when_the_program_runs)
{
    int status_fd;
    pid_t pid;

    arguments[2] = "sleep 60";
    ck_assert_int_eq(spawn(&options, &pid, &status_fd), 0);
    struct pollfd end = { .fd = status_fd, .events = POLLIN };
    ck_assert_int_eq(poll(&end, 1, 10000), 1);
    ck_assert_int_eq(read(status_fd, &failure, sizeof(failure)), 0);
    close(status_fd);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(a_program_that_is_not_there_fails_at_exec)
{
    arguments[0] = "no-such-program";
    run_script("");
    arguments[0] = "/bin/sh";
    ck_assert_int_eq(failure.stage, SPAWN_EXEC);
    ck_assert_int_eq(failure.error, -ENOENT);
}
END_TEST

START_TEST(a_folder_that_is_not_there_fails_before)
{
    options.directory = "/nowhere";
    run_script("true");
    ck_assert_int_eq(failure.stage, SPAWN_DIRECTORY);
    ck_assert_int_eq(failure.error, -ENOENT);
}
END_TEST

START_TEST(it_runs_in_its_folder)
{
    options.directory = "/usr";
    ck_assert_int_eq(run_script("pwd"), 0);
    ck_assert_str_eq(output, "/usr\n");
}
END_TEST

START_TEST(a_folder_can_be_a_descriptor)
{
    options.directory_fd = open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(run_script("pwd"), 0);
    ck_assert_str_eq(output, "/usr\n");
    close(options.directory_fd);
}
END_TEST

START_TEST(its_path_is_that_of_its_own_environment)
{
    char *environment[] = { "PATH=/bin", "WORD=own", NULL };

    arguments[0] = "sh";
    options.environment = environment;
    ck_assert_int_eq(run_script("echo $WORD"), 0);
    arguments[0] = "/bin/sh";
    ck_assert_str_eq(output, "own\n");
}
END_TEST

/* In a process whose own pipe is in nobody's way: 3 and 4 are each other's places. */
static void pass_exchanged(const int ends[2])
{
    int status_fd, status;
    pid_t pid;
    int to_read = fcntl(ends[0], F_DUPFD_CLOEXEC, 20);
    int to_write = fcntl(ends[1], F_DUPFD_CLOEXEC, 20);

    arguments[2] = "echo through >&4; read word <&3; echo $word";
    options.fds[0] = dup3(to_read, 4, O_CLOEXEC);
    options.fds[1] = dup3(to_write, 3, O_CLOEXEC);
    options.fd_count = 2;
    bool is_good = spawn(&options, &pid, &status_fd) == 0 && waitpid(pid, &status, 0) == pid;
    _exit(is_good && status == 0 ? 0 : 1);
}

START_TEST(descriptors_come_in_order_though_each_has_the_place_of_the_other)
{
    int ends[2], status;

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0)
        pass_exchanged(ends);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(pread(options.output_fd, output, sizeof(output), 0), strlen("through\n"));
    ck_assert_mem_eq(output, "through\n", strlen("through\n"));
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* The line of NAME in the status of this process. */
static void read_status(const char *name, char line[64])
{
    FILE *status = fopen("/proc/self/status", "r");

    ck_assert_ptr_nonnull(status);
    do
        ck_assert_ptr_nonnull(fgets(line, 64, status));
    while (strncmp(line, name, strlen(name)) != 0);
    fclose(status);
}

START_TEST(signals_are_as_profd_found_them)
{
    char ignored[64];
    char *direct[] = { "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL };
    sigset_t blocked;

    read_status("SigIgn:", ignored);
    spawn_prepare();
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    options.arguments = direct; /* a shell unblocks signals by itself */
    ck_assert_int_eq(run_script(""), 0);
    ck_assert_ptr_nonnull(strstr(output, "SigBlk:\t0000000000000000"));
    ck_assert_ptr_nonnull(strstr(output, ignored));
}
END_TEST

START_TEST(a_group_of_its_own_is_there_when_it_runs)
{
    int status_fd;
    pid_t pid;

    options.own_group = true;
    arguments[2] = "sleep 60";
    ck_assert_int_eq(spawn(&options, &pid, &status_fd), 0);
    ck_assert_int_eq(getpgid(pid), pid);
    close(status_fd);
    ck_assert_int_eq(kill(-pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spawn");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_set_timeout(all, 30);
    tcase_add_test(all, a_program_runs_and_says_nothing_of_its_start);
    tcase_add_test(all, the_start_is_over_when_the_program_runs);
    tcase_add_test(all, a_program_that_is_not_there_fails_at_exec);
    tcase_add_test(all, a_folder_that_is_not_there_fails_before);
    tcase_add_test(all, it_runs_in_its_folder);
    tcase_add_test(all, a_folder_can_be_a_descriptor);
    tcase_add_test(all, its_path_is_that_of_its_own_environment);
    tcase_add_test(all, descriptors_come_in_order_though_each_has_the_place_of_the_other);
    tcase_add_test(all, signals_are_as_profd_found_them);
    tcase_add_test(all, a_group_of_its_own_is_there_when_it_runs);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
