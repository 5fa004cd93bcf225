#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/profile_calls.h"
#include "tests/unit/run_suite.h"

/* HIDDEN: a frame that is no call. */
enum { MOST_CALLS = 64, MOST_FRAMES = 8, A = 1, B, C, D, E, HIDDEN };

static struct profile_calls calls;
static struct profile_call ended[MOST_CALLS];
static size_t ended_count;

static int on_ended(void *owner, const struct profile_call *call)
{
    ck_assert_ptr_eq(owner, &calls);
    ck_assert_uint_lt(ended_count, MOST_CALLS);
    ended[ended_count++] = *call;
    return 0;
}

static void set_up(void)
{
    calls = (struct profile_calls){ .on_ended = on_ended, .owner = &calls };
    ended_count = 0;
}

static void tear_down(void)
{
    profile_calls_free(&calls);
}

/* Of each function another node, and any number of columns. */
static void take_sample(double time_ms, const uint32_t *functions, size_t depth)
{
    struct profile_call_frame frames[MOST_FRAMES];
    const struct profile_call_sample sample = { time_ms, frames, depth, 0 };
    for (size_t i = 0; i < depth; i++)
        frames[i] = (struct profile_call_frame){ .identity = functions[i],
                                                 .function = functions[i],
                                                 .node = 10 * functions[i] + (uint32_t)time_ms,
                                                 .is_hidden = functions[i] == HIDDEN };
    ck_assert_int_eq(profile_calls_take(&calls, &sample), 0);
}

#define TAKE(time, ...)                                                                            \
    do {                                                                                           \
        const uint32_t functions[] = { __VA_ARGS__ };                                              \
        take_sample(time, functions, sizeof(functions) / sizeof(functions[0]));                    \
    } while (0)

static const struct profile_call *call_of(uint32_t function)
{
    const struct profile_call *found = NULL;
    for (size_t i = 0; i < ended_count; i++) {
        if (ended[i].frame.function == function)
            found = &ended[i];
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

static void check_call(uint32_t function, double start_ms, double end_ms, double self_ms)
{
    const struct profile_call *call = call_of(function);
    ck_assert_double_eq(call->start_ms, start_ms);
    ck_assert_double_eq(call->end_ms, end_ms);
    ck_assert_double_eq(call->self_ms, self_ms);
}

/* The figure of the document. */
START_TEST(repeated_frames_are_extended_and_obsolete_ones_end)
{
    TAKE(1, A, B, C, D);
    TAKE(2, A, B, C, D);
    TAKE(3, A, B, C, E);
    ck_assert_uint_eq(ended_count, 1);
    check_call(D, 1, 3, 2);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    check_call(E, 3, 3, 0);
    check_call(C, 1, 3, 0);
    check_call(A, 1, 3, 0);
    ck_assert_uint_eq(ended_count, 5);
    ck_assert_uint_eq(call_of(E)->depth, 3);
    ck_assert_uint_eq(call_of(E)->sample, 2);
    ck_assert_uint_eq(call_of(A)->frame.node, 10 * A + 1); /* that it began with */
}
END_TEST

START_TEST(what_is_open_in_the_end_is_not_extended)
{
    TAKE(1, A);
    TAKE(5, A, B);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    check_call(B, 5, 5, 0);
    check_call(A, 1, 5, 4);
}
END_TEST

/* A frame that comes back below another one is another call. */
START_TEST(positions_are_compared_from_the_outermost_on)
{
    TAKE(1, A, B, C);
    TAKE(2, A, D, C);
    check_call(C, 1, 2, 1);
    check_call(B, 1, 2, 0);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    check_call(C, 2, 2, 0);
    ck_assert_uint_eq(ended_count, 5);
}
END_TEST

START_TEST(self_times_add_up_to_the_outermost_call)
{
    double self_ms = 0;
    TAKE(1, A, B);
    TAKE(3, A, C, D);
    TAKE(4, A, C);
    TAKE(9, A, C, E);
    TAKE(10, A);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    for (size_t i = 0; i < ended_count; i++)
        self_ms += ended[i].self_ms;
    check_call(A, 1, 10, 0);
    ck_assert_double_eq(self_ms, 9);
    check_call(C, 3, 10, 5);
}
END_TEST

START_TEST(calls_end_at_a_frame_that_is_no_call)
{
    TAKE(1, A, B);
    TAKE(2, A, B);
    TAKE(3, HIDDEN);
    check_call(B, 1, 3, 2);
    check_call(A, 1, 3, 0);
    TAKE(100, A, B);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    check_call(B, 100, 100, 0);
    ck_assert_uint_eq(ended_count, 4);
}
END_TEST

/* As one of the garbage collector does. */
START_TEST(calls_below_a_frame_that_is_no_call_go_on)
{
    TAKE(1, A, B);
    TAKE(2, A, B, HIDDEN);
    TAKE(3, A, B);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    ck_assert_uint_eq(ended_count, 2);
    check_call(B, 1, 3, 2);
}
END_TEST

START_TEST(a_sample_without_a_stack_ends_all)
{
    TAKE(1, A, B);
    const struct profile_call_sample nothing = { .time_ms = 2 };
    ck_assert_int_eq(profile_calls_take(&calls, &nothing), 0);
    check_call(B, 1, 2, 1);
    ck_assert_uint_eq(ended_count, 2);
}
END_TEST

/* Clocks step back, and files may say anything. */
START_TEST(no_call_ends_before_it_began)
{
    TAKE(5, A, B);
    TAKE(3, A, C);
    ck_assert_int_eq(profile_calls_finish(&calls), 0);
    check_call(B, 5, 5, 0);
    check_call(C, 5, 5, 0);
    check_call(A, 5, 5, 0);
}
END_TEST

static void begin_event(unsigned event, double time_ms)
{
    ck_assert_int_eq(profile_calls_begin_event(&calls, event, time_ms), 0);
}

static void end_event(double time_ms)
{
    ck_assert_int_eq(profile_calls_end_event(&calls, time_ms), 0);
}

START_TEST(a_task_ends_all_calls_where_it_begins)
{
    TAKE(1, A, B);
    TAKE(2, A, B);
    begin_event(PROFILE_EVENT_TASK, 3);
    check_call(B, 1, 3, 2);
    check_call(A, 1, 3, 0);
    ck_assert_uint_eq(ended_count, 2);
    TAKE(4, A);
    TAKE(5, A);
    end_event(6);
    check_call(A, 4, 6, 2);
}
END_TEST

START_TEST(a_function_call_locks_what_it_began_in)
{
    begin_event(PROFILE_EVENT_TASK | PROFILE_EVENT_FUNCTION_CALL, 0);
    TAKE(1, A, B);
    begin_event(PROFILE_EVENT_FUNCTION_CALL, 2);
    TAKE(3, D, E, C); /* whatever is below C, A and B are still there */
    TAKE(4, D, E, C);
    end_event(5);
    check_call(C, 3, 5, 2);
    ck_assert_uint_eq(ended_count, 1);
    TAKE(6, A);
    check_call(B, 1, 6, 3);
    end_event(7);
    check_call(A, 1, 7, 1);
}
END_TEST

START_TEST(a_sample_that_is_shorter_than_what_is_locked_ends_nothing_of_it)
{
    begin_event(PROFILE_EVENT_FUNCTION_CALL, 0);
    TAKE(1, A, B);
    begin_event(PROFILE_EVENT_FUNCTION_CALL, 2);
    TAKE(3, A);
    ck_assert_uint_eq(ended_count, 0);
    end_event(4);
    end_event(4);
    check_call(B, 1, 4, 3);
}
END_TEST

START_TEST(samples_in_another_event_count_only_where_nothing_is_open)
{
    begin_event(PROFILE_EVENT_FUNCTION_CALL, 0);
    TAKE(1, A);
    begin_event(PROFILE_EVENT_OTHER, 2);
    TAKE(3, A, B);
    end_event(4);
    ck_assert_uint_eq(ended_count, 0);
    end_event(5);
    check_call(A, 1, 5, 4);
    begin_event(PROFILE_EVENT_OTHER, 6);
    TAKE(7, C);
    TAKE(8, C);
    end_event(9);
    check_call(C, 7, 9, 2);
    ck_assert_uint_eq(ended_count, 2);
}
END_TEST

START_TEST(calls_of_no_event_end_where_one_begins)
{
    TAKE(1, A, B);
    begin_event(PROFILE_EVENT_FUNCTION_CALL, 2);
    check_call(B, 1, 2, 1);
    check_call(A, 1, 2, 0);
    ck_assert_uint_eq(ended_count, 2);
}
END_TEST

START_TEST(an_end_needs_a_beginning)
{
    (void)profile_calls_end_event(&calls, 1);
}
END_TEST

/* --- Stacks of which the caller tells what is the same --- */

enum { RANDOM_ROUNDS = 2000, RANDOM_STEPS = 40, RANDOM_CALLS = RANDOM_STEPS * MOST_FRAMES };

static struct told {
    struct profile_call calls[RANDOM_CALLS];
    size_t count;
} told[2];

static int on_told(void *owner, const struct profile_call *call)
{
    struct told *one = owner;
    ck_assert_uint_lt(one->count, RANDOM_CALLS);
    one->calls[one->count++] = *call;
    return 0;
}

/* Another stack of a few functions, often with much of the last one. */
static size_t change_stack(struct profile_call_frame *frames, size_t depth)
{
    size_t same = (size_t)rand() % (depth + 1), wanted = (size_t)rand() % MOST_FRAMES;
    for (size_t i = same; i < wanted; i++) {
        uint32_t function = 1 + (uint32_t)rand() % 3;
        frames[i] = (struct profile_call_frame){ .identity = function,
                                                 .function = function,
                                                 .is_hidden = rand() % 16 == 0 };
        if (frames[i].is_hidden)
            frames[i].identity = HIDDEN;
    }
    return same < wanted ? wanted : same;
}

static size_t count_same(const struct profile_call_frame *left, size_t left_depth,
                         const struct profile_call_frame *right, size_t right_depth)
{
    size_t same = 0;
    while (same < left_depth && same < right_depth && left[same].identity == right[same].identity)
        same++;
    return same;
}

static void take_random(struct profile_calls both[2])
{
    struct profile_call_frame frames[MOST_FRAMES] = { 0 }, before[MOST_FRAMES];
    size_t depth = 0, events = 0;
    for (int time = 0; time < RANDOM_STEPS; time++) {
        int chance = rand() % 8;
        unsigned kind = (unsigned)rand() % 4;
        size_t last = depth;
        memcpy(before, frames, sizeof(before));
        if (chance > 1)
            depth = change_stack(frames, depth);
        for (int i = 0; i < 2; i++) {
            const struct profile_call_sample sample = {
                time, frames, depth, i == 0 ? 0 : count_same(before, last, frames, depth)
            };
            if (chance == 0)
                ck_assert_int_eq(profile_calls_begin_event(&both[i], kind, time), 0);
            else if (chance == 1 && events > 0)
                ck_assert_int_eq(profile_calls_end_event(&both[i], time), 0);
            else if (chance > 1)
                ck_assert_int_eq(profile_calls_take(&both[i], &sample), 0);
        }
        events += chance == 0;
        events -= chance == 1 && events > 0;
    }
}

static void check_equal(const struct profile_call *left, const struct profile_call *right)
{
    ck_assert_uint_eq(left->frame.identity, right->frame.identity);
    ck_assert_uint_eq(left->sample, right->sample);
    ck_assert_uint_eq(left->depth, right->depth);
    ck_assert_double_eq(left->start_ms, right->start_ms);
    ck_assert_double_eq(left->end_ms, right->end_ms);
    ck_assert_double_eq(left->self_ms, right->self_ms);
}

START_TEST(what_is_known_to_be_the_same_changes_nothing)
{
    srand(1);
    for (int round = 0; round < RANDOM_ROUNDS; round++) {
        struct profile_calls both[2] = { 0 };
        for (int i = 0; i < 2; i++) {
            told[i].count = 0;
            both[i] = (struct profile_calls){ .on_ended = on_told, .owner = &told[i] };
        }
        take_random(both);
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(profile_calls_finish(&both[i]), 0);
            profile_calls_free(&both[i]);
        }
        ck_assert_uint_eq(told[0].count, told[1].count);
        for (size_t i = 0; i < told[0].count; i++)
            check_equal(&told[0].calls[i], &told[1].calls[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile_calls");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, repeated_frames_are_extended_and_obsolete_ones_end);
    tcase_add_test(all, what_is_open_in_the_end_is_not_extended);
    tcase_add_test(all, positions_are_compared_from_the_outermost_on);
    tcase_add_test(all, self_times_add_up_to_the_outermost_call);
    tcase_add_test(all, calls_end_at_a_frame_that_is_no_call);
    tcase_add_test(all, calls_below_a_frame_that_is_no_call_go_on);
    tcase_add_test(all, a_sample_without_a_stack_ends_all);
    tcase_add_test(all, no_call_ends_before_it_began);
    tcase_add_test(all, a_task_ends_all_calls_where_it_begins);
    tcase_add_test(all, a_function_call_locks_what_it_began_in);
    tcase_add_test(all, a_sample_that_is_shorter_than_what_is_locked_ends_nothing_of_it);
    tcase_add_test(all, samples_in_another_event_count_only_where_nothing_is_open);
    tcase_add_test(all, calls_of_no_event_end_where_one_begins);
    tcase_add_test_raise_signal(all, an_end_needs_a_beginning, SIGABRT);
    tcase_add_test(all, what_is_known_to_be_the_same_changes_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
