#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/perf_event.h"
#include "daemon/children/pidfd.h"
#include "daemon/clocks/lent_event.h"
#include "tests/unit/run_suite.h"

enum { MS = 1000 * 1000, SIGNAL = SIGURG, LOWEST_NUMBER = 1024 };

/* What a borrower tells its test; shared. */
struct told {
    _Atomic int signals, strangers;
    _Atomic int is_burning;
};

static struct arena arena;
static struct event_loan *loan;
static struct told *told;
static struct lent_event event;
static struct borrower borrower;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (info->si_fd == atomic_load(&loan->lent.number) && info->si_code != SI_USER)
        told->signals++;
    else
        told->strangers++;
}

static void burn_time(void)
{
    static volatile uint64_t sink;
    for (;;)
        sink += sink * 3;
}

static void begin_borrower(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        sigaction(SIGNAL, &action, NULL);
        told->is_burning = 1;
        burn_time();
    }
    while (!told->is_burning)
        usleep(1000);
    borrower = (struct borrower){ pid, pidfd_of_process(pid), arena.fd };
    ck_assert_int_ge(borrower.pidfd, 0);
}

static void end_borrower(void)
{
    kill(borrower.pid, SIGKILL);
    ck_assert_int_eq(waitpid(borrower.pid, NULL, 0), borrower.pid);
}

/* The arena of a test is mapped by its borrower, too. */
static void set_up(void)
{
    clock_initialize();
    ck_assert_int_eq(arena_create(CHUNK_BYTES, &arena), 0);
    loan = &((struct arena_header *)mmap(NULL, ARENA_HEADER_BYTES, PROT_READ | PROT_WRITE,
                                         MAP_SHARED, arena.fd, 0))
                ->event_loan;
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    begin_borrower();
}

static void tear_down(void)
{
    lent_event_take_back(&event, arena.fd);
    end_borrower();
    close(borrower.pidfd);
    arena_destroy(&arena);
}

static void request_event(uint64_t interval_ns, int signal_number)
{
    atomic_store(&loan->wish.interval_ns, interval_ns);
    atomic_store(&loan->wish.signal, signal_number);
}

/* Whether the kernel lets us; what it refuses is told. */
static bool may_lend(void)
{
    request_event(MS, SIGNAL);
    int error = lent_event_follow(&event, &borrower);
    if (error == 0)
        return true;
    ck_assert_int_eq(perf_event_refusal(error), CLOCK_REFUSAL_KERNEL);
    ck_assert(!event.is_lent);
    ck_assert_int_eq(atomic_load(&arena.header->sampling_clock_refusal), CLOCK_REFUSAL_KERNEL);
    return false;
}

static void await_signals(void)
{
    int before = told->signals;
    while (told->signals < before + 10)
        usleep(1000);
}

START_TEST(nobody_who_wants_nothing_has_an_event)
{
    ck_assert_int_eq(lent_event_follow(&event, &borrower), 0);
    ck_assert(!event.is_lent);
    ck_assert_int_eq(atomic_load(&loan->lent.signal), 0);
}
END_TEST

START_TEST(an_event_signals_its_borrower_by_the_number_that_it_knows)
{
    if (!may_lend())
        return;
    ck_assert_int_eq(atomic_load(&loan->lent.signal), SIGNAL);
    ck_assert_uint_eq(atomic_load(&loan->lent.interval_ns), MS);
    ck_assert_int_ge(atomic_load(&loan->lent.number), LOWEST_NUMBER);
    ck_assert_int_eq(atomic_load(&arena.header->sampling_clock), SAMPLING_CLOCK_PERF);
    ck_assert_uint_eq(atomic_load(&arena.header->sampling_interval_ns), MS);
    await_signals();
    ck_assert_int_eq(told->strangers, 0);
}
END_TEST

START_TEST(one_that_is_wanted_no_more_is_taken_back)
{
    if (!may_lend())
        return;
    int number = atomic_load(&loan->lent.number);
    request_event(MS, 0);
    ck_assert_int_eq(lent_event_follow(&event, &borrower), 0);
    ck_assert(!event.is_lent);
    ck_assert_int_eq(fcntl(number, F_GETFD), -1);
    ck_assert_int_eq(atomic_load(&loan->lent.signal), 0);
    ck_assert_int_eq(atomic_load(&loan->lent.number), number); /* a signal may be under way */
}
END_TEST

START_TEST(another_wish_is_another_event)
{
    if (!may_lend())
        return;
    int number = atomic_load(&loan->lent.number);
    ck_assert_int_eq(lent_event_follow(&event, &borrower), 0);
    ck_assert_int_eq(atomic_load(&loan->lent.number), number); /* the same wish */
    request_event(2 * MS, SIGNAL);
    ck_assert_int_eq(lent_event_follow(&event, &borrower), 0);
    ck_assert_uint_eq(atomic_load(&loan->lent.interval_ns), 2 * MS);
    await_signals();
}
END_TEST

START_TEST(an_event_that_rests_sends_nothing)
{
    if (!may_lend())
        return;
    await_signals();
    lent_event_rest(&event, true);
    usleep(20 * 1000); /* what was under way */
    int before = told->signals;
    usleep(50 * 1000);
    ck_assert_int_eq(told->signals, before);
    lent_event_rest(&event, false);
    await_signals();
}
END_TEST

START_TEST(wishes_that_cannot_be_are_refused)
{
    static const int bad[] = { -1, SIGKILL, SIGSTOP, _NSIG, 1000000 };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        request_event(MS, bad[i]);
        ck_assert_int_eq(lent_event_follow(&event, &borrower), -EINVAL);
        ck_assert(!event.is_lent);
        ck_assert_int_eq(lent_event_follow(&event, &borrower), 0); /* it stands */
    }
    if (!may_lend())
        return;
    request_event(1, SIGNAL); /* as short as the kernel grants */
    ck_assert_int_eq(lent_event_follow(&event, &borrower), 0);
    ck_assert_uint_ge(atomic_load(&loan->lent.interval_ns), 10000);
}
END_TEST

START_TEST(one_that_has_ended_gets_none)
{
    kill(borrower.pid, SIGKILL);
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)borrower.pid, &info, WEXITED | WNOWAIT), 0);
    request_event(MS, SIGNAL);
    int error = lent_event_follow(&event, &borrower);
    ck_assert(error == -ESRCH || perf_event_refusal(error) == CLOCK_REFUSAL_KERNEL);
    ck_assert(!event.is_lent);
}
END_TEST

START_TEST(without_descriptors_it_is_refused)
{
    if (!may_lend())
        return;
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit low = { .rlim_cur = LOWEST_NUMBER, .rlim_max = before.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    request_event(2 * MS, SIGNAL);
    ck_assert_int_eq(lent_event_follow(&event, &borrower), -EMFILE);
    ck_assert_int_eq(atomic_load(&arena.header->sampling_clock_refusal), CLOCK_REFUSAL_DESCRIPTORS);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
END_TEST

START_TEST(an_arena_that_is_none_has_no_event)
{
    borrower.arena_fd = memfd_create("empty", MFD_CLOEXEC);
    ck_assert_int_eq(lent_event_follow(&event, &borrower), -EPROTO);
    close(borrower.arena_fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.lent_event");
    TCase *lent = tcase_create("lent_event");
    tcase_add_checked_fixture(lent, set_up, tear_down);
    tcase_add_test(lent, nobody_who_wants_nothing_has_an_event);
    tcase_add_test(lent, an_event_signals_its_borrower_by_the_number_that_it_knows);
    tcase_add_test(lent, one_that_is_wanted_no_more_is_taken_back);
    tcase_add_test(lent, another_wish_is_another_event);
    tcase_add_test(lent, an_event_that_rests_sends_nothing);
    tcase_add_test(lent, wishes_that_cannot_be_are_refused);
    tcase_add_test(lent, one_that_has_ended_gets_none);
    tcase_add_test(lent, without_descriptors_it_is_refused);
    tcase_add_test(lent, an_arena_that_is_none_has_no_event);
    suite_add_tcase(suite, lent);
    return run_suite(suite);
}
