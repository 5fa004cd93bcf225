#include <check.h>
#include <errno.h>

#include "buffer/chunk_update.h"
#include "tests/unit/run_suite.h"

static struct chunk_update none, ordinary, final;

/* An update with COUNT newly released chunks, done at FIRST_DONE_NS and each 10 ns later. */
static struct chunk_update make_update(enum chunk_update_kind kind, uint64_t oldest_done_ns,
                                       uint64_t first_done_ns, uint32_t count)
{
    struct chunk_update update = { .kind = kind,
                                   .unreleased_bytes = first_done_ns * 2,
                                   .released_bytes = first_done_ns * 3,
                                   .dictionary_bytes = first_done_ns * 4,
                                   .oldest_done_ns = oldest_done_ns,
                                   .newly_released_count = count };
    for (uint32_t i = 0; i < count; i++)
        update.newly_released[i] = (struct released_chunk){ first_done_ns + 10 * i, 100, i };
    return update;
}

static void assert_same(const struct chunk_update *a, const struct chunk_update *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_uint_eq(a->unreleased_bytes, b->unreleased_bytes);
    ck_assert_uint_eq(a->released_bytes, b->released_bytes);
    ck_assert_uint_eq(a->dictionary_bytes, b->dictionary_bytes);
    ck_assert_uint_eq(a->oldest_done_ns, b->oldest_done_ns);
    ck_assert_uint_eq(a->newly_released_count, b->newly_released_count);
    ck_assert_uint_eq(a->newly_released_lost, b->newly_released_lost);
    ck_assert_mem_eq(a->newly_released, b->newly_released,
                     a->newly_released_count * sizeof(a->newly_released[0]));
}

static void set_up(void)
{
    none = (struct chunk_update){ .kind = CHUNK_UPDATE_NONE };
    ordinary = make_update(CHUNK_UPDATE_ORDINARY, 100, 100, 3);
    final = make_update(CHUNK_UPDATE_FINAL, 100, 200, 1);
}

START_TEST(nothing_folded_into_anything_changes_nothing)
{
    struct chunk_update before[] = { none, ordinary, final };
    struct chunk_update pending = before[_i];
    ck_assert_int_eq(chunk_update_fold(&pending, &none), 0);
    assert_same(&pending, &before[_i]);
}
END_TEST

START_TEST(anything_folded_into_nothing_is_itself)
{
    struct chunk_update next[] = { none, ordinary, final };
    struct chunk_update pending = { .kind = CHUNK_UPDATE_NONE };
    ck_assert_int_eq(chunk_update_fold(&pending, &next[_i]), 0);
    assert_same(&pending, &next[_i]);
}
END_TEST

START_TEST(totals_are_the_later_ones_and_lists_are_joined)
{
    struct chunk_update next = make_update(CHUNK_UPDATE_ORDINARY, 100, 500, 2);
    ck_assert_int_eq(chunk_update_fold(&ordinary, &next), 0);
    ck_assert_uint_eq(ordinary.unreleased_bytes, 1000);
    ck_assert_uint_eq(ordinary.released_bytes, 1500);
    ck_assert_uint_eq(ordinary.dictionary_bytes, 2000);
    ck_assert_uint_eq(ordinary.oldest_done_ns, 100);
    static const uint64_t done[] = { 100, 110, 120, 500, 510 };
    ck_assert_uint_eq(ordinary.newly_released_count, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(ordinary.newly_released[i].done_ns, done[i]);
    ck_assert_uint_eq(ordinary.newly_released_lost, 0);
}
END_TEST

START_TEST(chunks_that_are_gone_leave_the_list)
{
    struct chunk_update next = make_update(CHUNK_UPDATE_ORDINARY, 120, 500, 1);
    ck_assert_int_eq(chunk_update_fold(&ordinary, &next), 0);
    ck_assert_uint_eq(ordinary.newly_released_count, 2);
    ck_assert_uint_eq(ordinary.newly_released[0].done_ns, 120);
    ck_assert_uint_eq(ordinary.newly_released[1].done_ns, 500);
}
END_TEST

START_TEST(without_released_chunks_all_are_gone)
{
    struct chunk_update next = make_update(CHUNK_UPDATE_ORDINARY, 0, 500, 0);
    ck_assert_int_eq(chunk_update_fold(&ordinary, &next), 0);
    ck_assert_uint_eq(ordinary.newly_released_count, 0);
}
END_TEST

START_TEST(final_ends_it)
{
    ck_assert_int_eq(chunk_update_fold(&ordinary, &final), 0);
    ck_assert_int_eq(ordinary.kind, CHUNK_UPDATE_FINAL);
    struct chunk_update before = ordinary;
    struct chunk_update next = make_update(CHUNK_UPDATE_ORDINARY, 1, 500, 1);
    ck_assert_int_eq(chunk_update_fold(&ordinary, &next), -EINVAL);
    ck_assert_int_eq(chunk_update_fold(&ordinary, &final), -EINVAL);
    assert_same(&ordinary, &before);
}
END_TEST

START_TEST(what_does_not_fit_is_counted_newest_first)
{
    struct chunk_update pending = make_update(CHUNK_UPDATE_ORDINARY, 1, 1, 200);
    struct chunk_update next = make_update(CHUNK_UPDATE_ORDINARY, 1, 10000, 100);
    next.newly_released_lost = 5;
    ck_assert_int_eq(chunk_update_fold(&pending, &next), 0);
    ck_assert_uint_eq(pending.newly_released_count, CHUNK_UPDATE_MAX_RELEASED);
    ck_assert_uint_eq(pending.newly_released_lost, 200 + 100 - CHUNK_UPDATE_MAX_RELEASED + 5);
    ck_assert_uint_eq(pending.newly_released[0].done_ns, 1);
    ck_assert_uint_eq(pending.newly_released[255].done_ns, 10000 + 55 * 10);
}
END_TEST

START_TEST(impossible_counts_are_refused)
{
    struct chunk_update before = ordinary, next = ordinary;
    next.newly_released_count = CHUNK_UPDATE_MAX_RELEASED + 1;
    ck_assert_int_eq(chunk_update_fold(&ordinary, &next), -EINVAL);
    assert_same(&ordinary, &before);
}
END_TEST

START_TEST(folding_is_associative)
{
    struct chunk_update a = ordinary;
    struct chunk_update b = make_update(CHUNK_UPDATE_ORDINARY, 110, 300, 4);
    struct chunk_update c = make_update(CHUNK_UPDATE_FINAL, 310, 600, 2);
    struct chunk_update left = a, right = b;
    ck_assert_int_eq(chunk_update_fold(&left, &b), 0);
    ck_assert_int_eq(chunk_update_fold(&left, &c), 0);
    ck_assert_int_eq(chunk_update_fold(&right, &c), 0);
    ck_assert_int_eq(chunk_update_fold(&a, &right), 0);
    assert_same(&left, &a);
    ck_assert_uint_eq(left.newly_released_count, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_update");
    TCase *tests = tcase_create("fold");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_loop_test(tests, nothing_folded_into_anything_changes_nothing, 0, 3);
    tcase_add_loop_test(tests, anything_folded_into_nothing_is_itself, 0, 3);
    tcase_add_test(tests, totals_are_the_later_ones_and_lists_are_joined);
    tcase_add_test(tests, chunks_that_are_gone_leave_the_list);
    tcase_add_test(tests, without_released_chunks_all_are_gone);
    tcase_add_test(tests, final_ends_it);
    tcase_add_test(tests, what_does_not_fit_is_counted_newest_first);
    tcase_add_test(tests, impossible_counts_are_refused);
    tcase_add_test(tests, folding_is_associative);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
