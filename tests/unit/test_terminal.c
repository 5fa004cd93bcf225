/* daemon.terminal, with a terminal that the test makes for itself. */
#include <check.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/programs/terminal.h"
#include "tests/unit/run_suite.h"

/* Runs BODY in a process that is the first of a session, whose terminal is its standard input, in
 * the foreground. Whether BODY found all as it should be. */
static bool with_terminal(bool (*body)(void))
{
    int other_end, terminal, status;

    ck_assert_int_eq(openpty(&other_end, &terminal, NULL, NULL, NULL), 0);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTTOU, SIG_IGN);
        bool is_ready = setsid() > 0 && ioctl(terminal, TIOCSCTTY, 0) == 0 &&
                        dup2(terminal, STDIN_FILENO) == STDIN_FILENO;
        _exit(is_ready && body() ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(other_end);
    close(terminal);
    return status == 0;
}

static pid_t make_group(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        pause();
        _exit(0);
    }
    return setpgid(pid, pid) == 0 ? pid : -1;
}

static void end_group(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static bool is_ours(void)
{
    return terminal_ours() == STDIN_FILENO;
}

START_TEST(a_terminal_in_whose_foreground_we_are_is_ours)
{
    ck_assert(with_terminal(is_ours));
}
END_TEST

static bool is_given(void)
{
    pid_t group = make_group();

    terminal_give(STDIN_FILENO, group);
    bool is_theirs = group > 0 && tcgetpgrp(STDIN_FILENO) == group && terminal_ours() == -1;
    end_group(group);
    return is_theirs;
}

START_TEST(one_that_was_given_away_is_not)
{
    ck_assert(with_terminal(is_given));
}
END_TEST

static bool is_taken_back(void)
{
    pid_t group = make_group();

    terminal_give(STDIN_FILENO, group);
    terminal_take_back(STDIN_FILENO);
    bool is_back = tcgetpgrp(STDIN_FILENO) == getpgrp() && terminal_ours() == STDIN_FILENO;
    end_group(group);
    return is_back;
}

START_TEST(it_is_taken_back)
{
    ck_assert(with_terminal(is_taken_back));
}
END_TEST

static bool is_file_none(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    return dup2(fd, STDIN_FILENO) == STDIN_FILENO && terminal_ours() == -1;
}

START_TEST(a_file_is_no_terminal)
{
    ck_assert(with_terminal(is_file_none));
}
END_TEST

static bool is_nothing_given(void)
{
    pid_t group = make_group();

    terminal_give(-1, group);
    bool is_still_ours = tcgetpgrp(STDIN_FILENO) == getpgrp();
    end_group(group);
    return is_still_ours;
}

START_TEST(without_one_nothing_is_given)
{
    ck_assert(with_terminal(is_nothing_given));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("terminal");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_terminal_in_whose_foreground_we_are_is_ours);
    tcase_add_test(all, one_that_was_given_away_is_not);
    tcase_add_test(all, it_is_taken_back);
    tcase_add_test(all, a_file_is_no_terminal);
    tcase_add_test(all, without_one_nothing_is_given);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
