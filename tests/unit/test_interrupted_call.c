#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "child-agent/sampler/interrupted_call.h"
#include "tests/unit/run_suite.h"

enum { CODE_BYTES = 7, CALL_OFFSET = 5 };

/* mov $number, %eax; syscall: never run, only looked at. */
static _Alignas(64) uint8_t code[64] = { 0xb8, 0, 0, 0, 0, 0x0f, 0x05 };
static ucontext_t context;

/* The program was interrupted in system call NUMBER, which answered RESULT. */
static void interrupted_in(uint32_t number, long result)
{
    memset(&context, 0, sizeof(context));
    memcpy(code + 16 + 1, &number, sizeof(number));
    code[16] = 0xb8;
    code[16 + CALL_OFFSET] = 0x0f;
    code[16 + CALL_OFFSET + 1] = 0x05;
    context.uc_mcontext.gregs[REG_RAX] = result;
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(code + 16 + CODE_BYTES);
    sigemptyset(&context.uc_sigmask);
}

static int goes_back(uint32_t number)
{
    interrupted_call_settle(&context);
    return context.uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)(code + 16 + CALL_OFFSET) &&
           context.uc_mcontext.gregs[REG_RAX] == (greg_t)number;
}

static void hold_pending(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    ck_assert_int_eq(raise(number), 0);
}

START_TEST(an_interrupted_poll_is_made_again)
{
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(goes_back(SYS_poll));
}
END_TEST

START_TEST(a_call_that_answered_is_left_alone)
{
    interrupted_in(SYS_poll, 1);
    ck_assert(!goes_back(SYS_poll));
}
END_TEST

START_TEST(calls_that_only_wait_for_signals_are_not_made_again)
{
    interrupted_in(SYS_pause, -EINTR);
    ck_assert(!goes_back(SYS_pause));
    interrupted_in(SYS_rt_sigsuspend, -EINTR);
    ck_assert(!goes_back(SYS_rt_sigsuspend));
}
END_TEST

START_TEST(nor_are_those_that_unblock_signals_while_they_wait)
{
    static sigset_t mask;
    const void *const packed[] = { &mask, NULL };
    interrupted_in(SYS_ppoll, -EINTR);
    ck_assert(goes_back(SYS_ppoll));
    interrupted_in(SYS_ppoll, -EINTR);
    context.uc_mcontext.gregs[REG_R10] = (greg_t)(uintptr_t)&mask;
    ck_assert(!goes_back(SYS_ppoll));
    interrupted_in(SYS_epoll_pwait, -EINTR);
    context.uc_mcontext.gregs[REG_R8] = (greg_t)(uintptr_t)&mask;
    ck_assert(!goes_back(SYS_epoll_pwait));
    interrupted_in(SYS_pselect6, -EINTR);
    context.uc_mcontext.gregs[REG_R9] = (greg_t)(uintptr_t)packed;
    ck_assert(!goes_back(SYS_pselect6));
    interrupted_in(SYS_pselect6, -EINTR);
    context.uc_mcontext.gregs[REG_R9] = (greg_t)(uintptr_t)(packed + 1);
    ck_assert(goes_back(SYS_pselect6));
}
END_TEST

/* Arguments that the C library loads between the number and the call. */
static const struct {
    const char *bytes;
    size_t count;
    int goes_back;
} loads[] = {
    { "\x8b\x7c\x24\x1c", 4, 1 },                                      /* pselect */
    { "\x48\x8b\x54\x24\x10\x48\x8b\x74\x24\x08", 10, 1 },             /* recvfrom */
    { "\x48\x8b\x74\x24\x10\x8b\x7c\x24\x08", 9, 1 },                  /* sendto */
    { "\x90", 1, 0 },                                                  /* something else */
    { "\x8b\x7c\x24\x1c\xb8\x07\x00\x00\x00\x8b\x7c\x24\x1c", 13, 1 }, /* the last number */
};

START_TEST(arguments_may_be_loaded_before_the_call)
{
    static _Alignas(64) uint8_t text[64];
    uint8_t *next = text + 16;
    memset(text, 0x90, sizeof(text));
    interrupted_in(SYS_poll, -EINTR);
    memcpy(next, code + 16, CALL_OFFSET);
    memcpy(next + CALL_OFFSET, loads[_i].bytes, loads[_i].count);
    next += CALL_OFFSET + loads[_i].count;
    next[0] = 0x0f;
    next[1] = 0x05;
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(next + 2);
    interrupted_call_settle(&context);
    ck_assert_int_eq(context.uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)next,
                     loads[_i].goes_back);
    if (loads[_i].goes_back)
        ck_assert_int_eq(context.uc_mcontext.gregs[REG_RAX], SYS_poll);
}
END_TEST

START_TEST(nothing_is_read_before_the_page)
{
    static _Alignas(4096) uint8_t page[4096];
    interrupted_in(SYS_poll, -EINTR);
    page[0] = 0x0f;
    page[1] = 0x05;
    context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)(page + 2);
    interrupted_call_settle(&context);
    ck_assert_int_eq(context.uc_mcontext.gregs[REG_RAX], -EINTR);
}
END_TEST

START_TEST(a_signal_of_the_program_that_came_meanwhile_keeps_its_EINTR)
{
    hold_pending(SIGUSR1);
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(!goes_back(SYS_poll));
}
END_TEST

START_TEST(a_signal_that_the_program_blocks_does_not)
{
    hold_pending(SIGUSR1);
    interrupted_in(SYS_poll, -EINTR);
    sigaddset(&context.uc_sigmask, SIGUSR1);
    ck_assert(goes_back(SYS_poll));
}
END_TEST

/* A child that ends, where nobody asked to be told. */
START_TEST(a_signal_that_the_program_ignores_does_not_either)
{
    hold_pending(SIGCHLD);
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(goes_back(SYS_poll));
    hold_pending(SIGUSR2);
    ck_assert_ptr_ne(signal(SIGUSR2, SIG_IGN), SIG_ERR);
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(goes_back(SYS_poll));
}
END_TEST

static void on_child(int number)
{
    (void)number;
}

START_TEST(but_one_that_it_handles_keeps_its_EINTR)
{
    ck_assert_ptr_ne(signal(SIGCHLD, on_child), SIG_ERR);
    hold_pending(SIGCHLD);
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(!goes_back(SYS_poll));
}
END_TEST

/* As often as samples come before the thread goes on. */
START_TEST(one_that_a_handler_of_the_program_cut_short_fails)
{
    interrupted_in(SYS_poll, -EINTR);
    interrupted_call_keep(&context);
    for (int i = 0; i < 3; i++)
        ck_assert(!goes_back(SYS_poll));
    context.uc_mcontext.gregs[REG_RCX] = context.uc_mcontext.gregs[REG_RIP]; /* the next call */
    ck_assert(goes_back(SYS_poll));
}
END_TEST

START_TEST(and_so_does_one_whose_signal_came_beside_ours)
{
    hold_pending(SIGUSR1);
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(!goes_back(SYS_poll));
    sigaddset(&context.uc_sigmask, SIGUSR1); /* its handler has run */
    ck_assert(!goes_back(SYS_poll));
}
END_TEST

START_TEST(nothing_is_kept_where_a_handler_interrupted_no_call)
{
    interrupted_in(SYS_poll, 1);
    context.uc_mcontext.gregs[REG_RCX] = 42;
    interrupted_call_keep(&context);
    ck_assert_int_eq(context.uc_mcontext.gregs[REG_RCX], 42);
    interrupted_in(SYS_poll, -EINTR);
    context.uc_mcontext.gregs[REG_RIP]--;
    context.uc_mcontext.gregs[REG_RCX] = 42;
    interrupted_call_keep(&context);
    ck_assert_int_eq(context.uc_mcontext.gregs[REG_RCX], 42);
}
END_TEST

START_TEST(code_that_is_no_plain_call_is_left_alone)
{
    interrupted_in(SYS_poll, -EINTR);
    code[16] = 0x90;
    ck_assert(!goes_back(SYS_poll));
}
END_TEST

static void handle_pending(int number, int flags)
{
    const struct sigaction action = { .sa_handler = on_child, .sa_flags = flags };
    ck_assert_int_eq(sigaction(number, &action, NULL), 0);
    hold_pending(number);
}

/* The kernel is about to make call NUMBER again, or the thread has not made it yet. */
static void about_to_make(uint32_t number, bool is_made_again)
{
    interrupted_in(number, number);
    greg_t *registers = context.uc_mcontext.gregs;
    registers[REG_RCX] = is_made_again ? registers[REG_RIP] : 0;
    registers[REG_RIP] -= CODE_BYTES - CALL_OFFSET;
}

static bool fails(void)
{
    interrupted_call_settle(&context);
    return context.uc_mcontext.gregs[REG_RAX] == -EINTR &&
           context.uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)(code + 16 + CODE_BYTES);
}

START_TEST(one_that_the_kernel_makes_again_for_ours_fails_for_the_programs)
{
    about_to_make(SYS_read, true);
    ck_assert(!fails());
    handle_pending(SIGUSR1, 0);
    about_to_make(SYS_read, true);
    ck_assert(fails());
    ck_assert(!goes_back(SYS_read)); /* before the thread goes on, the next of ours comes */
    about_to_make(SYS_read, false);
    ck_assert(!fails());
    about_to_make(SYS_clone, true);
    ck_assert(!fails());
    about_to_make(SYS_read, true);
    sigaddset(&context.uc_sigmask, SIGUSR1);
    ck_assert(!fails());
}
END_TEST

START_TEST(the_first_of_several_signals_says_whether_it_fails)
{
    handle_pending(SIGUSR2, 0);
    handle_pending(SIGUSR1, (int)SA_RESTART);
    about_to_make(SYS_accept, true);
    ck_assert(!fails());
    sigaddset(&context.uc_sigmask, SIGUSR1);
    ck_assert(fails());
}
END_TEST

static void forbid_to_ask_what_is_pending(void)
{
    struct sock_filter code_of_filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigpending, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { .len = sizeof(code_of_filter) / sizeof(code_of_filter[0]),
                                       .filter = code_of_filter };
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

START_TEST(where_nobody_knows_what_else_came_a_call_stays_as_it_is)
{
    forbid_to_ask_what_is_pending();
    interrupted_in(SYS_poll, -EINTR);
    ck_assert(!goes_back(SYS_poll));
    about_to_make(SYS_read, true);
    ck_assert(!fails());
}
END_TEST

/* OFFSET: where the thread goes on, from the system call on. */
static bool waits(long result, long offset)
{
    interrupted_in(SYS_read, result);
    context.uc_mcontext.gregs[REG_RIP] += offset - (CODE_BYTES - CALL_OFFSET);
    return interrupted_call_is_at(&context);
}

START_TEST(a_thread_waits_that_has_to_make_its_call_again)
{
    ck_assert(waits(-EINTR, 2));
    ck_assert(waits(SYS_read, 0));
    ck_assert(!waits(1, 2));
    ck_assert(!waits(-EAGAIN, 2));
    ck_assert(!waits(-EINTR, 1));
    ck_assert(!waits(SYS_read, 1));
}
END_TEST

START_TEST(a_thread_that_goes_on_where_nothing_is_does_not_wait)
{
    interrupted_in(SYS_read, SYS_read);
    context.uc_mcontext.gregs[REG_RIP] = 16;
    ck_assert(!interrupted_call_is_at(&context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.interrupted_call");
    TCase *tcase = tcase_create("made again");
    tcase_add_test(tcase, an_interrupted_poll_is_made_again);
    tcase_add_test(tcase, a_call_that_answered_is_left_alone);
    tcase_add_test(tcase, calls_that_only_wait_for_signals_are_not_made_again);
    tcase_add_test(tcase, nor_are_those_that_unblock_signals_while_they_wait);
    tcase_add_loop_test(tcase, arguments_may_be_loaded_before_the_call, 0,
                        sizeof(loads) / sizeof(loads[0]));
    tcase_add_test(tcase, nothing_is_read_before_the_page);
    tcase_add_test(tcase, a_signal_of_the_program_that_came_meanwhile_keeps_its_EINTR);
    tcase_add_test(tcase, a_signal_that_the_program_blocks_does_not);
    tcase_add_test(tcase, a_signal_that_the_program_ignores_does_not_either);
    tcase_add_test(tcase, but_one_that_it_handles_keeps_its_EINTR);
    tcase_add_test(tcase, one_that_a_handler_of_the_program_cut_short_fails);
    tcase_add_test(tcase, and_so_does_one_whose_signal_came_beside_ours);
    tcase_add_test(tcase, nothing_is_kept_where_a_handler_interrupted_no_call);
    tcase_add_test(tcase, one_that_the_kernel_makes_again_for_ours_fails_for_the_programs);
    tcase_add_test(tcase, the_first_of_several_signals_says_whether_it_fails);
    tcase_add_test(tcase, where_nobody_knows_what_else_came_a_call_stays_as_it_is);
    tcase_add_test(tcase, code_that_is_no_plain_call_is_left_alone);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("waiting");
    tcase_add_test(tcase, a_thread_waits_that_has_to_make_its_call_again);
    tcase_add_test(tcase, a_thread_that_goes_on_where_nothing_is_does_not_wait);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
