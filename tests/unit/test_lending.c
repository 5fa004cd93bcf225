/* daemon.lending: to real processes, by a real loop. Where the kernel lets nobody have events, what
 * is refused is told. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/perf_event.h"
#include "daemon/children/child_table.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/pidfd.h"
#include "daemon/clocks/lending.h"
#include "daemon/session.h"
#include "tests/unit/run_suite.h"

enum { INTERVAL_NS = 1000 * 1000, BORROWERS = 3, LOOP_ENDS_MS = 10 * 1000 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct lending lending;
static struct session session;
static struct child_table table;
static struct arena arenas[BORROWERS];
static struct child *borrowers[BORROWERS];
static int listened;

static void on_listen(void *context)
{
    ck_assert_ptr_eq(context, &listened);
    listened++;
}

static const struct lending_events events = { on_listen };

static void on_ended(void *owner)
{
    ck_assert_ptr_nonnull(owner);
}

static void on_status(const int *wait_status, void *owner)
{
    (void)wait_status, (void)owner;
}

static const struct child_watch_events watch_events = { on_ended, on_status };

static struct child *add_borrower(struct arena *arena)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        signal(SIGURG, SIG_IGN);
        for (;;)
            pause();
    }
    const struct child_introduction who = { .pid = pid, .executable = "x", .executable_length = 1 };
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    ck_assert_int_eq(arena_create(CHUNK_BYTES, arena), 0);
    child->arena_fd = dup(arena->fd);
    child_set_agent(child, CHILD_IS_ALONE);
    ck_assert_int_eq(
        child_watch_start(&loop, pidfd_of_process(pid), &watch_events, child, &child->watch), 0);
    return child;
}

static void set_up(void)
{
    memset(&table, 0, sizeof(table));
    memset(&lending, 0, sizeof(lending));
    listened = 0;
    session = (struct session){ .state = SESSION_ACTIVE };
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(lending_init(&lending, &loop, &session, &events, &listened), 0);
    for (int i = 0; i < BORROWERS; i++)
        borrowers[i] = add_borrower(&arenas[i]);
}

static void tear_down(void)
{
    lending_close(&lending);
    for (int i = 0; i < BORROWERS; i++) {
        pid_t pid = borrowers[i]->pid;
        lending_end(&lending, borrowers[i]);
        child_watch_stop(borrowers[i]->watch);
        child_table_remove(&table, borrowers[i]);
        arena_destroy(&arenas[i]);
        ck_assert_int_eq(kill(pid, SIGKILL), 0);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    }
    ck_assert_ptr_null(lending.first);
    ck_assert_uint_eq(lending.lent_count, 0);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void request_event(int number, int signal_number)
{
    struct event_loan *loan = &arenas[number].header->event_loan;
    atomic_store(&loan->wish.interval_ns, INTERVAL_NS);
    atomic_store(&loan->wish.signal, signal_number);
}

static bool has_event(int number)
{
    return atomic_load(&arenas[number].header->event_loan.lent.signal) != 0;
}

static void follow_all(void)
{
    for (int i = 0; i < BORROWERS; i++) {
        request_event(i, SIGURG);
        lending_follow(&lending, borrowers[i]);
    }
}

/* All have events; false where the kernel refuses them. */
static bool lend_to_all(void)
{
    follow_all();
    if (lending.lent_count == BORROWERS)
        return true;
    ck_assert_uint_eq(lending.lent_count, 0);
    ck_assert_uint_eq(atomic_load(&arenas[0].header->sampling_clock_refusal), CLOCK_REFUSAL_KERNEL);
    return false;
}

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

/* The timer of loans is the only other that keeps the loop. */
static bool is_listening(void)
{
    return uv_is_active((uv_handle_t *)&lending.timer) != 0;
}

START_TEST(who_borrows_is_listened_for)
{
    if (!lend_to_all())
        return;
    ck_assert(has_event(0) && has_event(BORROWERS - 1));
    uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0);
    while (listened < 3)
        uv_run(&loop, UV_RUN_ONCE);
    uv_timer_stop(&limit);
}
END_TEST

START_TEST(nobody_is_listened_for_once_all_is_returned)
{
    if (!lend_to_all())
        return;
    for (int i = 0; i < BORROWERS; i++) {
        ck_assert(is_listening());
        request_event(i, 0);
        lending_follow(&lending, borrowers[i]);
        ck_assert(!has_event(i));
    }
    ck_assert(!is_listening());
    ck_assert_uint_eq(lending.lent_count, 0);
}
END_TEST

START_TEST(the_end_of_a_borrower_is_the_end_of_its_loan_alone)
{
    if (!lend_to_all())
        return;
    lending_end(&lending, borrowers[1]);
    lending_end(&lending, borrowers[1]);
    ck_assert_ptr_null(borrowers[1]->loan);
    ck_assert_uint_eq(lending.lent_count, BORROWERS - 1);
    ck_assert(is_listening());
}
END_TEST

START_TEST(a_session_that_ends_takes_all_back_and_the_next_lends_anew)
{
    if (!lend_to_all())
        return;
    session.state = SESSION_IDLE;
    lending_end_session(&lending);
    ck_assert_uint_eq(lending.lent_count, 0);
    ck_assert(!is_listening());
    for (int i = 0; i < BORROWERS; i++)
        ck_assert(!has_event(i));
    lending_follow(&lending, borrowers[0]);
    ck_assert_uint_eq(lending.lent_count, 0); /* there is no session */
    session.state = SESSION_ACTIVE;
    ck_assert(lend_to_all());
}
END_TEST

START_TEST(only_who_is_alone_has_an_arena_is_watched_and_lives_borrows)
{
    struct child_watch *watch = borrowers[1]->watch;

    if (!lend_to_all())
        return;
    child_set_agent(borrowers[0], CHILD_LISTENS);
    borrowers[1]->watch = NULL;
    child_end(&table, borrowers[2], VERDICT_EXITED, 0, 1);
    follow_all();
    ck_assert_uint_eq(lending.lent_count, 0);
    borrowers[1]->watch = watch;
}
END_TEST

START_TEST(a_refusal_is_told_once_and_nothing_is_listened_for)
{
    request_event(0, SIGKILL);
    lending_follow(&lending, borrowers[0]);
    ck_assert_uint_eq(lending.lent_count, 0);
    ck_assert(!has_event(0));
    ck_assert(!is_listening());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.lending");
    TCase *loans = tcase_create("loans");
    tcase_add_checked_fixture(loans, set_up, tear_down);
    tcase_add_test(loans, who_borrows_is_listened_for);
    tcase_add_test(loans, nobody_is_listened_for_once_all_is_returned);
    tcase_add_test(loans, the_end_of_a_borrower_is_the_end_of_its_loan_alone);
    tcase_add_test(loans, a_session_that_ends_takes_all_back_and_the_next_lends_anew);
    tcase_add_test(loans, only_who_is_alone_has_an_arena_is_watched_and_lives_borrows);
    tcase_add_test(loans, a_refusal_is_told_once_and_nothing_is_listened_for);
    suite_add_tcase(suite, loans);
    return run_suite(suite);
}
