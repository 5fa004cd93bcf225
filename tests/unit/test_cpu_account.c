/* daemon.cpu_account, with the clocks of real processes. */
#include <check.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/children/child_table.h"
#include "daemon/children/cpu_account.h"
#include "tests/unit/run_suite.h"

enum { MUCH_NS = 20 * 1000 * 1000 };

static struct child child;
static int pidfd;

static uint64_t own_cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A process that uses MUCH_NS, says so through a pipe, and then waits. */
static void set_up(void)
{
    int ends[2];
    char byte;

    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        while (own_cpu_ns() < MUCH_NS)
            ;
        if (write(ends[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    ck_assert_int_ge(pidfd, 0);
    child = (struct child){ .pid = pid, .start_ns = 1000, .process_start_ns = 1000 };
    child.cpu = CPU_ACCOUNT_NEW;
}

static void end_process(void)
{
    siginfo_t info;

    ck_assert_int_eq(kill(child.pid, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT), 0);
}

static void reap_process(void)
{
    ck_assert_int_eq(waitpid(child.pid, NULL, 0), child.pid);
}

static void tear_down(void)
{
    kill(child.pid, SIGKILL);
    (void)waitpid(child.pid, NULL, 0);
    close(pidfd);
}

START_TEST(what_was_used_before_the_session_is_before)
{
    ck_assert_uint_ge(cpu_account_before(1000, 2000, child.pid), MUCH_NS);
}
END_TEST

START_TEST(a_process_of_the_session_has_no_before)
{
    ck_assert_uint_eq(cpu_account_before(2000, 2000, child.pid), 0);
}
END_TEST

START_TEST(one_that_lives_is_followed)
{
    cpu_account_follow(&child);
    ck_assert_uint_ge(child.cpu.used_ns, MUCH_NS);
    ck_assert(!child.cpu.is_final);
}
END_TEST

START_TEST(one_that_lives_is_read_for_a_capture)
{
    struct process_cpu_time time = cpu_account_of(&child, 0);

    ck_assert_int_eq(time.end, CPU_TIME_TO_CAPTURE);
    ck_assert_uint_ge(time.total_ns, MUCH_NS);
}
END_TEST

START_TEST(a_clock_that_shows_less_is_not_its_own)
{
    child.cpu.used_ns = UINT64_MAX - 1;
    cpu_account_follow(&child);
    ck_assert_uint_eq(child.cpu.used_ns, UINT64_MAX - 1);
    ck_assert_uint_eq(cpu_account_of(&child, 0).total_ns, UINT64_MAX - 1);
}
END_TEST

START_TEST(one_that_is_gone_unnoticed_has_its_last_reading)
{
    child.cpu.used_ns = 7;
    end_process();
    reap_process();
    ck_assert_uint_eq(cpu_account_of(&child, 0).total_ns, 7);
}
END_TEST

START_TEST(the_clock_of_one_that_ended_is_the_last_word_until_it_is_reaped)
{
    end_process();
    cpu_account_note_ended(&child, pidfd);
    ck_assert(child.cpu.is_final);
    ck_assert_uint_ge(child.cpu.used_ns, MUCH_NS);
    child.state = CHILD_ENDED;
    ck_assert_int_eq(cpu_account_of(&child, 0).end, CPU_TIME_TO_END);
}
END_TEST

START_TEST(of_one_that_was_reaped_the_last_look_is_known)
{
    cpu_account_follow(&child);
    uint64_t followed_ns = child.cpu.used_ns;
    end_process();
    reap_process();
    cpu_account_note_ended(&child, pidfd);
    ck_assert(!child.cpu.is_final);
    ck_assert_uint_eq(child.cpu.used_ns, followed_ns);
    child.state = CHILD_ENDED;
    ck_assert_int_eq(cpu_account_of(&child, 0).end, CPU_TIME_TO_LAST_RECORD);
}
END_TEST

START_TEST(the_last_word_is_not_followed)
{
    cpu_account_close(&child.cpu, 7);
    cpu_account_follow(&child);
    ck_assert_uint_eq(child.cpu.used_ns, 7);
    cpu_account_note_ended(&child, pidfd);
    ck_assert_uint_eq(child.cpu.used_ns, 7);
}
END_TEST

START_TEST(one_that_became_another_program_has_what_it_used_by_then)
{
    child.state = CHILD_ENDED;
    child.verdict = VERDICT_EXECED;
    child.cpu.at_exec_ns = 5;
    struct process_cpu_time time = cpu_account_of(&child, 0);
    ck_assert_int_eq(time.end, CPU_TIME_TO_EXEC);
    ck_assert_uint_eq(time.total_ns, 5);
}
END_TEST

START_TEST(a_capture_of_less_than_its_life_does_not_know_what_was_before)
{
    child.cpu.before_ns = 3;
    ck_assert_uint_eq(cpu_account_of(&child, 0).before_ns, 3);
    ck_assert_uint_eq(cpu_account_of(&child, 999).before_ns, 3);
    ck_assert_uint_eq(cpu_account_of(&child, 1001).before_ns, CPU_TIME_UNKNOWN);
}
END_TEST

START_TEST(what_it_tells_itself_counts_until_it_is_known_better)
{
    cpu_account_note_told(&child.cpu, 7);
    ck_assert_uint_eq(child.cpu.used_ns, 7);
    cpu_account_note_told(&child.cpu, 6);
    ck_assert_uint_eq(child.cpu.used_ns, 7);
    cpu_account_close(&child.cpu, 9);
    cpu_account_note_told(&child.cpu, 10);
    ck_assert_uint_eq(child.cpu.used_ns, 9);
}
END_TEST

START_TEST(an_end_is_taken_and_what_was_before_is_not)
{
    struct cpu_account other = { .used_ns = 9, .is_final = true, .before_ns = 4 };

    cpu_account_take_end(&child.cpu, &other);
    ck_assert_uint_eq(child.cpu.used_ns, 9);
    ck_assert(child.cpu.is_final);
    ck_assert_uint_eq(child.cpu.before_ns, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_account");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, what_was_used_before_the_session_is_before);
    tcase_add_test(all, a_process_of_the_session_has_no_before);
    tcase_add_test(all, one_that_lives_is_followed);
    tcase_add_test(all, one_that_lives_is_read_for_a_capture);
    tcase_add_test(all, a_clock_that_shows_less_is_not_its_own);
    tcase_add_test(all, one_that_is_gone_unnoticed_has_its_last_reading);
    tcase_add_test(all, the_clock_of_one_that_ended_is_the_last_word_until_it_is_reaped);
    tcase_add_test(all, of_one_that_was_reaped_the_last_look_is_known);
    tcase_add_test(all, the_last_word_is_not_followed);
    tcase_add_test(all, one_that_became_another_program_has_what_it_used_by_then);
    tcase_add_test(all, a_capture_of_less_than_its_life_does_not_know_what_was_before);
    tcase_add_test(all, what_it_tells_itself_counts_until_it_is_known_better);
    tcase_add_test(all, an_end_is_taken_and_what_was_before_is_not);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
