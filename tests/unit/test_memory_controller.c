/* daemon.memory_controller: which chunks are dropped first. */
#include "daemon/memory/memory_controller.h"
#include "tests/unit/memory_controller_scene.h"
#include "tests/unit/run_suite.h"

/* Each child's header and dictionary take one unit besides. */
START_TEST(what_fits_stays)
{
    add_child(0, 5, 100);
    add_child(1, 3, 50);
    ck_assert_uint_eq(memory_controller_total(&controller), 10 * UNIT);
    expect_nothing();
}
END_TEST

START_TEST(the_oldest_of_all_goes_first)
{
    add_child(0, 1, 100);
    add_child(1, 1, 99);
    add_child(2, 8, 101);
    expect_drop(1, 99);
    expect_drop(0, 100);
    expect_drop(2, 101);
    expect_nothing();
}
END_TEST

START_TEST(what_is_going_is_not_counted_twice)
{
    add_child(0, 11, 100);
    expect_drop(0, 100);
    expect_drop(0, 101);
    expect_nothing();
    send_update(0, 11, 100, 0); /* on its way when the order came */
    expect_nothing();
    send_update(0, 9, 102, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
    expect_nothing();
    send_update(0, 10, 102, 1);
    expect_drop(0, 102);
}
END_TEST

START_TEST(a_part_that_was_done_counts)
{
    add_child(0, 12, 100);
    expect_drop(0, 100);
    expect_drop(0, 101);
    expect_drop(0, 102);
    send_update(0, 11, 101, 0);
    ck_assert_uint_eq(controller.going_bytes, 2 * UNIT);
    expect_nothing();
}
END_TEST

START_TEST(nobody_counts_for_more_than_its_cap)
{
    struct chunk_update lie = {
        .kind = CHUNK_UPDATE_ORDINARY,
        .unreleased_bytes = UINT64_MAX,
        .released_bytes = UINT64_MAX,
        .dictionary_bytes = UINT64_MAX,
        .oldest_done_ns = UINT64_MAX,
        .newly_released_count = UINT32_MAX,
    };
    add_source(0, MEMORY_OF_CHILD);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            memory_controller_update(&controller, &sources[0], GENERATION, &lie, now_ns), 0);
    ck_assert_uint_eq(memory_controller_total(&controller), CAP_BYTES);
    ck_assert_uint_le(sources[0].chunks.count, CAP_BYTES / UNIT);
}
END_TEST

START_TEST(nothing_is_from_the_future)
{
    add_child(0, 6, now_ns + 1000000);
    now_ns += 10;
    add_child(1, 6, now_ns - 1);
    expect_drop(0, now_ns - 10);
}
END_TEST

START_TEST(what_the_ledger_says_is_believed)
{
    add_child(0, 9, 100);
    expect_nothing();
    memory_controller_note_taken(&controller, 11 * UNIT);
    expect_drop(0, 100);
    expect_nothing();
    memory_controller_note_taken(&controller, 5 * UNIT);
    ck_assert_uint_eq(memory_controller_total(&controller), 4 * UNIT);
}
END_TEST

static void add_exit(int source, unsigned count, uint64_t oldest)
{
    add_source(source, MEMORY_OF_EXIT);
    memory_controller_set_bytes(&controller, &sources[source], (uint64_t)count * UNIT);
    for (unsigned i = count; i-- > 0;)
        ck_assert_int_eq(memory_controller_add_chunk(
                             &controller, &sources[source],
                             (struct chunk_age){ .done_ns = oldest + i, .bytes = UNIT, .slot = i }),
                         0);
}

START_TEST(exit_profiles_age_with_the_living)
{
    struct chunk_drop drop;
    add_child(0, 10, 100);
    add_exit(1, 1, 99);
    ck_assert(memory_controller_next_drop(&controller, now_ns, &drop));
    ck_assert_ptr_eq(drop.source, &sources[1]);
    ck_assert_uint_eq(drop.slot, 0);
    expect_drop(0, 100);
    expect_nothing();
}
END_TEST

START_TEST(what_is_held_is_not_chosen)
{
    add_exit(0, 6, 10);
    add_exit(1, 6, 100);
    memory_controller_hold(&controller, &sources[0], true);
    expect_drop(1, 100);
    memory_controller_hold(&controller, &sources[0], false);
    expect_drop(0, 10);
    expect_nothing();
}
END_TEST

static uint64_t oldest_of_all(const struct memory_source *all, int count)
{
    uint64_t oldest = UINT64_MAX;

    for (int i = 0; i < count; i++) {
        if (all[i].chunks.count > 0 && chunk_ages_at(&all[i].chunks, 0)->done_ns < oldest)
            oldest = chunk_ages_at(&all[i].chunks, 0)->done_ns;
    }
    return oldest;
}

START_TEST(the_oldest_of_many_goes_first_whatever_changes)
{
    enum { MANY = 500, STEPS = 20000 };
    static struct memory_source many[MANY];
    uint64_t state = 42, total = 0;
    struct chunk_drop drop;

    controller.target_bytes = 0;
    for (int step = 0; step < STEPS; step++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        struct memory_source *source = &many[(state >> 33) % MANY];
        uint64_t done_ns = state >> 50;
        if (!source->is_added) {
            ck_assert_int_eq(
                memory_controller_add(&controller, source, MEMORY_OF_EXIT, CAP_BYTES, source), 0);
        } else if (state >> 20 & 1) {
            memory_controller_set_bytes(&controller, source, source->bytes + 1);
            ck_assert_int_eq(
                memory_controller_add_chunk(&controller, source,
                                            (struct chunk_age){ .done_ns = done_ns, .bytes = 1 }),
                0);
            total++;
        } else if (memory_controller_next_drop(&controller, 0, &drop)) {
            total--;
            ck_assert_uint_le(drop.done_ns, oldest_of_all(many, MANY));
        } else if (state >> 21 & 1) {
            memory_controller_remove(&controller, source);
        }
        ck_assert_uint_eq(memory_controller_total(&controller) >= total, 1);
    }
    for (int i = 0; i < MANY; i++)
        memory_controller_remove(&controller, &many[i]);
}
END_TEST

START_TEST(the_target_leaves_room_to_grow)
{
    for (uint64_t units = LEASE_LEDGER_MIN_UNITS; units < 100000; units = units * 5 / 4) {
        uint64_t target = memory_controller_target(units * UNIT) / UNIT;
        ck_assert_uint_lt(target, units - units / 8);
        ck_assert_uint_ge(target, units * 3 / 4);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.memory_controller");
    TCase *decisions = tcase_create("decisions");
    tcase_add_checked_fixture(decisions, set_up, tear_down);
    tcase_add_test(decisions, what_fits_stays);
    tcase_add_test(decisions, the_oldest_of_all_goes_first);
    tcase_add_test(decisions, what_is_going_is_not_counted_twice);
    tcase_add_test(decisions, a_part_that_was_done_counts);
    tcase_add_test(decisions, nobody_counts_for_more_than_its_cap);
    tcase_add_test(decisions, nothing_is_from_the_future);
    tcase_add_test(decisions, what_the_ledger_says_is_believed);
    tcase_add_test(decisions, exit_profiles_age_with_the_living);
    tcase_add_test(decisions, what_is_held_is_not_chosen);
    tcase_add_test(decisions, the_oldest_of_many_goes_first_whatever_changes);
    tcase_add_test(decisions, the_target_leaves_room_to_grow);
    suite_add_tcase(suite, decisions);
    return run_suite(suite);
}
