/* agent.filter_program: what filters let through, told without setting them. */
#include <check.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "child-agent/guest/filter_program.h"
#include "child-agent/interpose/filter_calls.h"
#include "tests/unit/run_suite.h"

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ALLOW        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define FAIL         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)
#define IF(operation, number, otherwise)                                                           \
    BPF_JUMP(BPF_JMP | BPF_##operation | BPF_K, number, 0, otherwise)

static const struct filtered_call write_call = { .number = SYS_write,
                                                 .known = 1,
                                                 .arguments = { 1 } };
static const struct filtered_call unknown_write = { .number = SYS_write };

static bool lines_allow(struct sock_filter *lines, size_t count, const struct filtered_call *call)
{
    const struct sock_fprog program = { (unsigned short)count, lines };
    return filter_program_allows(&program, call);
}

static bool lines_refuse(struct sock_filter *lines, size_t count, const struct filtered_call *call)
{
    const struct sock_fprog program = { (unsigned short)count, lines };
    return filter_program_refuses(&program, call);
}

#define ALLOWS(call, ...)                                                                          \
    lines_allow((struct sock_filter[]){ __VA_ARGS__ },                                             \
                sizeof((struct sock_filter[]){ __VA_ARGS__ }) / sizeof(struct sock_filter), call)
#define REFUSES(call, ...)                                                                         \
    lines_refuse((struct sock_filter[]){ __VA_ARGS__ },                                            \
                 sizeof((struct sock_filter[]){ __VA_ARGS__ }) / sizeof(struct sock_filter), call)

START_TEST(test_calls_are_told_by_their_number)
{
    ck_assert(ALLOWS(&write_call, LOAD(nr), IF(JEQ, SYS_write, 1), ALLOW, KILL));
    ck_assert(!REFUSES(&write_call, LOAD(nr), IF(JEQ, SYS_write, 1), ALLOW, KILL));
    ck_assert(!ALLOWS(&write_call, LOAD(nr), IF(JEQ, SYS_read, 1), ALLOW, KILL));
    ck_assert(REFUSES(&write_call, LOAD(nr), IF(JEQ, SYS_read, 1), ALLOW, FAIL));
    ck_assert(ALLOWS(&write_call, LOAD(arch), IF(JEQ, AUDIT_ARCH_X86_64, 1), ALLOW, KILL));
}
END_TEST

START_TEST(test_known_arguments_decide)
{
    ck_assert(ALLOWS(&write_call, LOAD(args[0]), IF(JEQ, 1, 1), ALLOW, KILL));
    ck_assert(REFUSES(&write_call, LOAD(args[0]), IF(JGT, 1, 1), ALLOW, KILL));
    ck_assert(ALLOWS(&write_call, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 20), IF(JEQ, 0, 1), ALLOW,
                     KILL)); /* the upper half */
}
END_TEST

START_TEST(test_what_is_not_known_goes_both_ways)
{
    ck_assert(!ALLOWS(&unknown_write, LOAD(args[0]), IF(JEQ, 1, 1), ALLOW, KILL));
    ck_assert(!REFUSES(&unknown_write, LOAD(args[0]), IF(JEQ, 1, 1), ALLOW, KILL));
    ck_assert(ALLOWS(&unknown_write, LOAD(args[0]), IF(JEQ, 1, 1), ALLOW, ALLOW));
    ck_assert(REFUSES(&unknown_write, LOAD(args[0]), IF(JEQ, 1, 1), FAIL, KILL));
    ck_assert(!ALLOWS(&write_call, LOAD(instruction_pointer), IF(JGT, 4096, 1), ALLOW, KILL));
}
END_TEST

START_TEST(test_numbers_are_calculated)
{
    ck_assert(ALLOWS(&write_call, LOAD(nr), BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 4),
                     BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_IMM, 0),
                     BPF_STMT(BPF_LDX | BPF_MEM, 3), BPF_STMT(BPF_MISC | BPF_TXA, 0),
                     BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 1), IF(JEQ, (SYS_write + 4) * 2, 1), ALLOW,
                     KILL));
    ck_assert(!ALLOWS(&write_call, LOAD(nr), BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), IF(JEQ, 0, 1),
                      ALLOW, KILL));
}
END_TEST

START_TEST(test_other_answers_are_neither)
{
    ck_assert(!ALLOWS(&write_call, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG)));
    ck_assert(!REFUSES(&write_call, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG)));
    ck_assert(!REFUSES(&write_call, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)));
    ck_assert(REFUSES(&write_call, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)));
}
END_TEST

/* Which the kernel would not take. */
START_TEST(test_programs_without_an_end)
{
    ck_assert(!ALLOWS(&write_call, LOAD(nr)));
    ck_assert(!REFUSES(&write_call, LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JA, 100, 0, 0), ALLOW));
    ck_assert(!ALLOWS(&write_call, BPF_JUMP(BPF_JMP | BPF_JA, (uint32_t)-1, 0, 0), ALLOW));
    ck_assert(!ALLOWS(&write_call, BPF_STMT(BPF_LD | BPF_MEM, 99), BPF_STMT(BPF_RET | BPF_A, 0)));
}
END_TEST

/* A thousand decisions that nobody can tell, each of which doubles the ways. */
START_TEST(test_hard_programs_are_given_up)
{
    enum { DECISIONS = 1000 };
    static struct sock_filter lines[DECISIONS + 2];
    lines[0] = (struct sock_filter)LOAD(args[0]);
    for (int i = 1; i <= DECISIONS; i++)
        lines[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)i, 0, 0);
    lines[DECISIONS + 1] = (struct sock_filter)ALLOW;
    ck_assert(!lines_allow(lines, DECISIONS + 2, &unknown_write));
    ck_assert(lines_allow(lines, DECISIONS + 2, &write_call));
}
END_TEST

/* CALLS are allowed, others kill. */
static bool sampling_goes_on_with(const unsigned *calls, size_t count)
{
    struct sock_filter lines[64] = { LOAD(nr) };
    unsigned short length = 1;
    for (size_t i = 0; i < count; i++) {
        lines[length++] = (struct sock_filter)IF(JEQ, calls[i], 1);
        lines[length++] = (struct sock_filter)ALLOW;
    }
    lines[length++] = (struct sock_filter)KILL;
    return filter_calls_let_sampling_go_on(&(struct sock_fprog){ length, lines });
}

START_TEST(test_a_sample_takes_some_calls)
{
    enum { NEEDED = 8 };
    const unsigned calls[] = { SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_clock_gettime, SYS_mmap,
                               SYS_munmap,       SYS_madvise,        SYS_munlock,       SYS_futex,
                               SYS_rt_sigaction, SYS_seccomp };
    ck_assert(sampling_goes_on_with(calls, NEEDED + 2));
    ck_assert(sampling_goes_on_with(calls, NEEDED)); /* no other filter can follow */
    for (size_t i = 0; i < NEEDED; i++) {
        unsigned others[NEEDED];
        memcpy(others, calls, sizeof(others));
        others[i] = SYS_write;
        ck_assert(!sampling_goes_on_with(others, NEEDED));
    }
    unsigned endless[NEEDED + 1];
    memcpy(endless, calls, sizeof(endless));
    endless[NEEDED] = SYS_seccomp;
    ck_assert(!sampling_goes_on_with(endless, NEEDED + 1));
}
END_TEST

static bool sessions_change_without(uint32_t call)
{
    struct sock_filter lines[] = { LOAD(nr), IF(JEQ, call, 1), KILL, ALLOW };
    return filter_calls_let_sessions_change(
        &(struct sock_fprog){ sizeof(lines) / sizeof(lines[0]), lines });
}

START_TEST(test_a_session_takes_more)
{
    ck_assert(sessions_change_without(SYS_reboot));
    ck_assert(!sessions_change_without(SYS_timer_settime));
    ck_assert(!sessions_change_without(SYS_membarrier));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("agent.filter_program");
    TCase *all = tcase_create("filters");
    tcase_add_test(all, test_calls_are_told_by_their_number);
    tcase_add_test(all, test_known_arguments_decide);
    tcase_add_test(all, test_what_is_not_known_goes_both_ways);
    tcase_add_test(all, test_numbers_are_calculated);
    tcase_add_test(all, test_other_answers_are_neither);
    tcase_add_test(all, test_programs_without_an_end);
    tcase_add_test(all, test_hard_programs_are_given_up);
    tcase_add_test(all, test_a_sample_takes_some_calls);
    tcase_add_test(all, test_a_session_takes_more);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
