/* buffer.chunk_manager: chunks that signal handlers exchange. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "buffer/dictionary.h"
#include "tests/unit/chunk_update_scene.h"
#include "tests/unit/run_suite.h"

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, LIMIT * CHUNK_BYTES, &manager), 0);
}

/* What a handler does when its chunk is full. */
static struct chunk *exchange_in_handler(struct chunk *full)
{
    struct chunk *chunk = NULL;
    ck_assert(chunk_manager_try_exchange(manager, full, 1, &chunk));
    return chunk;
}

/* The last update tells of COUNT chunks, and these are number FIRST and those after it. */
static void assert_told(uint64_t first, uint32_t count)
{
    ck_assert_uint_eq(last_update.newly_released_count, count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(last_update.newly_released[i].sequence, first + i);
}

START_TEST(a_handler_tells_nobody)
{
    struct chunk *first = exchange_in_handler(NULL);
    ck_assert_uint_eq(first->state, CHUNK_IN_USE);
    ck_assert_uint_eq(first->writer_index, 1);
    listen_to_updates();
    struct chunk *second = exchange_in_handler(first);
    ck_assert_ptr_ne(first, second);
    ck_assert_uint_eq(first->state, CHUNK_RELEASED);
    ck_assert_uint_eq(second->state, CHUNK_IN_USE);
    ck_assert_uint_eq(update_count, 1);
    chunk_manager_report(manager);
    ck_assert_uint_eq(update_count, 2);
    ck_assert_uint_eq(last_update.released_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(last_update.oldest_done_ns, first->done.monotonic_ns);
    assert_told(0, 1);
    chunk_manager_report(manager);
    ck_assert_uint_eq(update_count, 2);
}
END_TEST

static void get_another(void)
{
    ck_assert_ptr_nonnull(chunk_manager_get(manager, 2));
}

static void release_nothing(void)
{
    chunk_manager_release(manager, arena_chunk(&arena, SLOTS - 1));
}

static void set_the_limit(void)
{
    chunk_manager_set_limit(manager, LIMIT * CHUNK_BYTES);
}

static void prepare_one(void)
{
    chunk_manager_prepare(manager, 1);
}

static void prepare_none(void)
{
    chunk_manager_prepare(manager, 0);
}

static void unprepare_none(void)
{
    chunk_manager_unprepare(manager, 0);
}

static void destroy_none(void)
{
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, 0), 0);
}

static void report_changes(void)
{
    chunk_manager_report(manager);
}

static void (*const other_calls[])(void) = { get_another,  release_nothing, set_the_limit,
                                             prepare_one,  prepare_none,    unprepare_none,
                                             destroy_none, report_changes };

START_TEST(the_next_other_call_tells_what_handlers_released)
{
    struct chunk *chunk = exchange_in_handler(NULL);
    listen_to_updates();
    for (int i = 0; i < 2; i++)
        chunk = exchange_in_handler(chunk);
    ck_assert_uint_eq(update_count, 1);
    other_calls[_i]();
    ck_assert_uint_eq(update_count, 2);
    assert_told(0, 2);
    ck_assert_uint_eq(last_update.oldest_done_ns, last_update.newly_released[0].done_ns);
    chunk_manager_release(manager, chunk);
    assert_told(2, 1);
    ck_assert_uint_eq(folded.newly_released_count, 3);
}
END_TEST

START_TEST(what_a_handler_released_is_told_with_what_comes_next)
{
    struct chunk *ordinary = get_filled(1), *chunk = exchange_in_handler(NULL);
    listen_to_updates();
    chunk = exchange_in_handler(chunk);
    chunk_manager_release(manager, ordinary);
    ck_assert_uint_eq(last_update.newly_released_count, 2);
    ck_assert_uint_eq(last_update.newly_released[0].sequence, 1);
    ck_assert_uint_eq(last_update.newly_released[1].sequence, 0);
    chunk_manager_report(manager);
    ck_assert_uint_eq(update_count, 2);
    chunk_manager_release(manager, chunk);
    assert_told(2, 1);
}
END_TEST

START_TEST(what_is_recycled_before_it_was_told_is_never_told)
{
    chunk_manager_set_limit(manager, 2 * CHUNK_BYTES);
    struct chunk *chunk = exchange_in_handler(NULL);
    listen_to_updates();
    for (int i = 0; i < 5; i++)
        chunk = exchange_in_handler(chunk);
    ck_assert_uint_eq(chunk->range_start, 5 * CHUNK_BUFFER_BYTES);
    ck_assert_uint_eq(arena.header->next_range_start, 6 * CHUNK_BUFFER_BYTES);
    chunk_manager_report(manager);
    /* Of the five that it was done with, one is left. */
    assert_told(4, 1);
    ck_assert_uint_eq(last_update.released_bytes, CHUNK_BYTES);
    chunk = exchange_in_handler(chunk);
    chunk_manager_release(manager, chunk);
    assert_told(5, 2);
}
END_TEST

START_TEST(a_handler_that_recycles_its_only_chunk_has_nothing_to_tell_of)
{
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    struct chunk *chunk = exchange_in_handler(NULL);
    listen_to_updates();
    ck_assert_ptr_eq(exchange_in_handler(chunk), chunk);
    chunk_manager_report(manager);
    ck_assert_uint_eq(last_update.newly_released_count, 0);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    chunk_manager_release(manager, chunk);
    assert_told(1, 1);
}
END_TEST

START_TEST(what_is_destroyed_before_it_was_told_is_never_told)
{
    struct chunk *first = exchange_in_handler(NULL);
    listen_to_updates();
    struct chunk *second = exchange_in_handler(first), *third = exchange_in_handler(second);
    ck_assert_uint_eq(
        chunk_manager_destroy_released_at_or_before(manager, first->done.monotonic_ns),
        CHUNK_BYTES);
    assert_told(1, 1);
    chunk_manager_release(manager, third);
    assert_told(2, 1);
}
END_TEST

START_TEST(a_new_listener_hears_of_what_handlers_released_once)
{
    struct chunk *chunk = exchange_in_handler(exchange_in_handler(NULL));
    listen_to_updates();
    assert_told(0, 1);
    chunk_manager_report(manager);
    ck_assert_uint_eq(update_count, 1);
    chunk = exchange_in_handler(chunk);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    chunk_manager_report(manager);
    listen_to_updates();
    assert_told(0, 2);
    chunk_manager_release(manager, chunk);
    assert_told(2, 1);
}
END_TEST

START_TEST(a_handler_at_the_limit_gets_none_and_has_given_its_own_back)
{
    struct chunk *chunk = exchange_in_handler(NULL), *other;
    for (int i = 1; i < LIMIT; i++)
        get_filled(1);
    ck_assert_ptr_null(exchange_in_handler(NULL));
    chunk_manager_set_limit(manager, (LIMIT - 1) * CHUNK_BYTES);
    ck_assert(chunk_manager_try_exchange(manager, chunk, 1, &other));
    ck_assert_ptr_null(other);
    ck_assert_uint_eq(chunk->state, CHUNK_FREE);
}
END_TEST

static struct chunk *interrupted_chunk;
static bool was_had;

/* A handler that interrupts whoever tells: the lock is its own thread's. */
static void exchange_while_told(const struct chunk_update *update, void *context)
{
    (void)update, (void)context;
    struct chunk *chunk;
    was_had |= chunk_manager_try_exchange(manager, interrupted_chunk, 1, &chunk);
}

START_TEST(a_handler_that_interrupts_the_manager_changes_nothing)
{
    interrupted_chunk = exchange_in_handler(NULL);
    was_had = false;
    chunk_manager_set_update_callback(manager, exchange_while_told, NULL);
    get_filled(1);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    ck_assert(!was_had);
    ck_assert_uint_eq(interrupted_chunk->state, CHUNK_IN_USE);
    ck_assert_uint_eq(arena.header->next_range_start, 2 * CHUNK_BUFFER_BYTES);
}
END_TEST

/* Many chunks, each of which is to be told of once, whoever released it. */
enum { MANY_SLOTS = 2048, HANDLERS_RUN = 300 };

static struct {
    _Atomic int handled, had;
    _Atomic bool is_over;
    struct chunk *own; /* of the handler */
    pthread_t thread;
    unsigned times_told[MANY_SLOTS];
    uint32_t lost;
} interrupts;

static void count_told(const struct chunk_update *update, void *context)
{
    (void)context;
    interrupts.lost += update->newly_released_lost;
    for (uint32_t i = 0; i < update->newly_released_count; i++)
        interrupts.times_told[update->newly_released[i].sequence]++;
}

static void on_interrupt(int number)
{
    (void)number;
    if (atomic_load(&interrupts.had) < HANDLERS_RUN &&
        chunk_manager_try_exchange(manager, interrupts.own, 1, &interrupts.own))
        atomic_fetch_add(&interrupts.had, 1);
    atomic_fetch_add(&interrupts.handled, 1);
}

static void *interrupt_often(void *context)
{
    (void)context;
    for (int sent = 0; !atomic_load(&interrupts.is_over); sent++) {
        pthread_kill(interrupts.thread, SIGUSR1);
        while (atomic_load(&interrupts.handled) <= sent)
            sched_yield();
    }
    return NULL;
}

START_TEST(whatever_handlers_interrupt_each_chunk_is_told_of_once)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    struct chunk *chunk = NULL;
    pthread_t sender;
    tear_down();
    ck_assert_int_eq(arena_create((uint64_t)MANY_SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(
        chunk_manager_create(&arena, GENERATION, (uint64_t)MANY_SLOTS * CHUNK_BYTES, &manager), 0);
    memset(&interrupts, 0, sizeof(interrupts));
    interrupts.thread = pthread_self();
    chunk_manager_set_update_callback(manager, count_told, NULL);
    sigaction(SIGUSR1, &action, NULL);
    ck_assert_int_eq(pthread_create(&sender, NULL, interrupt_often, NULL), 0);
    int rounds = 0;
    for (; atomic_load(&interrupts.had) < HANDLERS_RUN; rounds++) {
        if (rounds < MANY_SLOTS / 2)
            chunk = chunk_manager_exchange(manager, chunk, 2);
        else
            chunk_manager_report(manager);
        ck_assert_ptr_nonnull(chunk);
    }
    atomic_store(&interrupts.is_over, true);
    pthread_join(sender, NULL);
    chunk_manager_release(manager, chunk);
    chunk_manager_release(manager, interrupts.own);
    ck_assert_uint_eq(interrupts.lost, 0);
    uint64_t lives = arena.header->next_range_start / CHUNK_BUFFER_BYTES;
    ck_assert_uint_gt(lives, HANDLERS_RUN);
    ck_assert_uint_le(lives, MANY_SLOTS);
    for (uint64_t i = 0; i < lives; i++)
        ck_assert_msg(interrupts.times_told[i] == 1, "chunk %lu of %lu was told of %u times",
                      (unsigned long)i, (unsigned long)lives, interrupts.times_told[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_handlers");

    TCase *handlers = tcase_create("in signal handlers");
    tcase_add_checked_fixture(handlers, set_up, tear_down);
    tcase_set_timeout(handlers, 60);
    tcase_add_test(handlers, a_handler_tells_nobody);
    tcase_add_loop_test(handlers, the_next_other_call_tells_what_handlers_released, 0,
                        sizeof(other_calls) / sizeof(other_calls[0]));
    tcase_add_test(handlers, what_a_handler_released_is_told_with_what_comes_next);
    tcase_add_test(handlers, what_is_recycled_before_it_was_told_is_never_told);
    tcase_add_test(handlers, a_handler_that_recycles_its_only_chunk_has_nothing_to_tell_of);
    tcase_add_test(handlers, what_is_destroyed_before_it_was_told_is_never_told);
    tcase_add_test(handlers, a_new_listener_hears_of_what_handlers_released_once);
    tcase_add_test(handlers, a_handler_at_the_limit_gets_none_and_has_given_its_own_back);
    tcase_add_test(handlers, a_handler_that_interrupts_the_manager_changes_nothing);
    tcase_add_test(handlers, whatever_handlers_interrupt_each_chunk_is_told_of_once);
    suite_add_tcase(suite, handlers);
    return run_suite(suite);
}
