#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/allocations/allocation_ring.h"

enum { THREADS = 3, RECORDS = 30000, HEAD_BYTES = sizeof(struct allocation_record) };

static struct allocation_ring *ring;

static void set_up(void)
{
    ring = aligned_alloc(64, sizeof(*ring));
    ck_assert_ptr_nonnull(ring);
    memset(ring, 0, sizeof(*ring));
}

static void tear_down(void)
{
    free(ring);
}

static bool write_record(uint64_t number, uint32_t stack_bytes)
{
    struct allocation_record *record = allocation_ring_reserve(ring, HEAD_BYTES + stack_bytes, 0);
    if (record == NULL)
        return false;
    record->generation = 1;
    record->address = number;
    record->label_count = 0;
    record->stack_bytes = stack_bytes;
    memset(allocation_record_stack(record), (int)(number & 0xff), stack_bytes);
    allocation_ring_publish(record);
    return true;
}

/* Takes the next record, which is whole; false when there is none. */
static bool read_record(uint64_t *number)
{
    struct allocation_record *record = allocation_ring_peek(ring);
    if (record == NULL)
        return false;
    *number = record->address;
    const uint8_t *stack = allocation_record_stack(record);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < record->stack_bytes; i++)
        wrong += stack[i] != (*number & 0xff);
    ck_assert_uint_eq(wrong, 0);
    allocation_ring_drop(ring, record);
    return true;
}

START_TEST(records_come_out_as_they_went_in)
{
    uint64_t number, next = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        ck_assert(write_record(i, (uint32_t)(i * 977 % 20000)));
        if (i % 3 == 0)
            continue;
        while (read_record(&number))
            ck_assert_uint_eq(number, next++);
    }
    while (read_record(&number))
        ck_assert_uint_eq(number, next++);
    ck_assert_uint_eq(next, RECORDS);
}
END_TEST

START_TEST(a_full_ring_refuses_until_something_is_taken)
{
    uint64_t number, count = 0;
    while (write_record(count, 5000))
        count++;
    ck_assert_uint_gt(count, 300);
    ck_assert(read_record(&number));
    ck_assert(write_record(count, 5000));
    for (uint64_t i = 1; i <= count; i++) {
        ck_assert(read_record(&number));
        ck_assert_uint_eq(number, i);
    }
    ck_assert(!read_record(&number));
}
END_TEST

START_TEST(room_is_spared_for_those_that_need_it_more)
{
    enum { SPARE_BYTES = 100000 };
    uint64_t number, count = 0;
    while (allocation_ring_reserve(ring, HEAD_BYTES + 5000, SPARE_BYTES) != NULL)
        count++;
    ck_assert(write_record(1, SPARE_BYTES / 2));
    ck_assert(!read_record(&number));
}
END_TEST

START_TEST(what_can_never_fit_is_refused)
{
    ck_assert_ptr_null(allocation_ring_reserve(ring, ALLOCATION_RING_BYTES + 1, 0));
    ck_assert(write_record(1, 10));
}
END_TEST

START_TEST(one_that_is_not_published_holds_up_the_later_ones)
{
    uint64_t number;
    struct allocation_record *first = allocation_ring_reserve(ring, HEAD_BYTES, 0);
    ck_assert(write_record(2, 10));
    ck_assert(!read_record(&number));
    first->generation = 1;
    first->address = 1;
    first->label_count = first->stack_bytes = 0;
    allocation_ring_publish(first);
    ck_assert(read_record(&number));
    ck_assert_uint_eq(number, 1);
    ck_assert(read_record(&number));
    ck_assert_uint_eq(number, 2);
}
END_TEST

static void *write_many(void *argument)
{
    uint64_t thread = (uint64_t)(size_t)argument;
    for (uint64_t i = 0; i < RECORDS; i++)
        while (!write_record(i * THREADS + thread, (uint32_t)(i % 3000)))
            sched_yield();
    return NULL;
}

START_TEST(threads_write_side_by_side)
{
    pthread_t threads[THREADS];
    uint64_t next[THREADS] = { 0 }, number;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    for (int read = 0; read < THREADS * RECORDS;) {
        if (!read_record(&number)) {
            sched_yield();
            continue;
        }
        ck_assert_uint_eq(number / THREADS, next[number % THREADS]++);
        read++;
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.allocation_ring");
    TCase *tcase = tcase_create("ring");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, records_come_out_as_they_went_in);
    tcase_add_test(tcase, a_full_ring_refuses_until_something_is_taken);
    tcase_add_test(tcase, room_is_spared_for_those_that_need_it_more);
    tcase_add_test(tcase, what_can_never_fit_is_refused);
    tcase_add_test(tcase, one_that_is_not_published_holds_up_the_later_ones);
    tcase_add_test(tcase, threads_write_side_by_side);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
