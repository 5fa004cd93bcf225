/* daemon.memory_controller */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "buffer/lease_ledger.h"
#include "daemon/memory/memory_controller.h"

enum { SOURCES = 8, UNIT = LEASE_UNIT_BYTES, GENERATION = 3, PATIENCE_NS = 1000 };
#define CAP_BYTES (100ULL * UNIT)

static struct memory_controller controller;
static struct memory_source sources[SOURCES];
static struct chunk_update update;
static uint64_t now_ns;

static void set_up(void)
{
    memory_controller_init(&controller, 10ULL * UNIT, PATIENCE_NS);
    controller.generation = GENERATION;
    memset(sources, 0, sizeof(sources));
    memset(&update, 0, sizeof(update));
    now_ns = 1000000;
}

static void tear_down(void)
{
    for (int i = 0; i < SOURCES; i++)
        memory_controller_remove(&controller, &sources[i]);
    ck_assert_uint_eq(controller.source_count, 0);
    ck_assert_uint_eq(controller.stalled_count, 0);
    ck_assert_uint_eq(controller.reported_bytes, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
    ck_assert_uint_eq(controller.heap.count, 0);
    memory_controller_fini(&controller);
}

static void add_source(int source, enum memory_source_kind kind)
{
    ck_assert_int_eq(
        memory_controller_add(&controller, &sources[source], kind, CAP_BYTES, &sources[source]), 0);
}

/* Says that SOURCE has RELEASED chunks, done a time unit apart from OLDEST on, of which the last
 * NEW are news. */
static void send_update(int source, unsigned released, uint64_t oldest, unsigned new)
{
    update = (struct chunk_update){
        .kind = CHUNK_UPDATE_ORDINARY,
        .released_bytes = (uint64_t)released * UNIT,
        .oldest_done_ns = released > 0 ? oldest : 0,
        .newly_released_count = new,
    };
    for (unsigned i = 0; i < new; i++)
        update.newly_released[i].done_ns = oldest + released - new + i;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[source], GENERATION, &update, now_ns), 0);
}

/* A child with COUNT chunks, done from OLDEST on. */
static void add_child(int source, unsigned count, uint64_t oldest)
{
    add_source(source, MEMORY_OF_CHILD);
    send_update(source, count, oldest, count);
}

static void expect_drop(int source, uint64_t done_ns)
{
    struct chunk_drop drop;
    ck_assert(memory_controller_next_drop(&controller, now_ns, &drop));
    ck_assert_int_eq((int)(drop.source - sources), source);
    ck_assert_uint_eq(drop.done_ns, done_ns);
}

static void expect_nothing(void)
{
    struct chunk_drop drop;
    ck_assert(!memory_controller_next_drop(&controller, now_ns, &drop));
}

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

START_TEST(a_stalled_child_is_passed_over)
{
    add_child(0, 6, 100);
    add_child(1, 5, 200);
    expect_drop(0, 100);
    expect_drop(0, 101);
    expect_drop(0, 102);
    now_ns += PATIENCE_NS;
    expect_drop(1, 200);
    expect_drop(1, 201);
    expect_drop(1, 202);
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 1);
}
END_TEST

START_TEST(a_stalled_child_that_speaks_again_is_told_again)
{
    add_child(0, 10, 100);
    expect_drop(0, 100);
    now_ns += PATIENCE_NS;
    expect_nothing();
    send_update(0, 11, 100, 1);
    expect_drop(0, 100);
    expect_nothing(); /* once for each time it speaks, and nothing more before it has obeyed */
    send_update(0, 10, 101, 0);
    ck_assert_uint_eq(controller.stalled_count, 0);
    expect_drop(0, 101);
}
END_TEST

START_TEST(progress_is_not_a_stall)
{
    add_child(0, 13, 100);
    for (uint64_t done_ns = 100; done_ns < 104; done_ns++)
        expect_drop(0, done_ns);
    for (unsigned left = 12; left > 9; left--) {
        now_ns += PATIENCE_NS - 1;
        send_update(0, left, 113 - left, 0);
    }
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 0);
}
END_TEST

START_TEST(chunks_whose_update_was_lost_go_one_by_one)
{
    add_source(0, MEMORY_OF_CHILD);
    send_update(0, 12, 100, 0);
    expect_drop(0, 100);
    expect_nothing(); /* it is not known what comes next */
    send_update(0, 11, 101, 0);
    expect_drop(0, 101);
}
END_TEST

START_TEST(an_unknown_one_before_those_that_were_told_to_go_goes_with_them)
{
    add_child(0, 10, 100);
    expect_drop(0, 100);
    send_update(0, 11, 90, 0);
    ck_assert_uint_eq(controller.going_bytes, 2 * UNIT);
    expect_nothing();
    send_update(0, 9, 101, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
}
END_TEST

START_TEST(repeated_updates_change_nothing)
{
    add_child(0, 11, 100);
    send_update(0, 11, 100, 11);
    send_update(0, 11, 100, 5);
    ck_assert_uint_eq(sources[0].chunks.count, 11);
    ck_assert_uint_eq(memory_controller_total(&controller), 12 * UNIT);
}
END_TEST

START_TEST(updates_of_another_session_do_not_count)
{
    add_child(0, 2, 100);
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION - 1, &update, now_ns),
        -ESTALE);
    update.kind = CHUNK_UPDATE_NONE;
    update.released_bytes = 100 * UNIT;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION, &update, now_ns), 0);
    ck_assert_uint_eq(memory_controller_total(&controller), 3 * UNIT);
}
END_TEST

START_TEST(after_its_final_update_nothing_is_asked_of_a_child)
{
    add_child(0, 12, 100);
    expect_drop(0, 100);
    update.kind = CHUNK_UPDATE_FINAL;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION, &update, now_ns), 0);
    now_ns += PATIENCE_NS;
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
    send_update(0, 12, 100, 12);
    expect_drop(0, 100);
}
END_TEST

START_TEST(a_child_that_goes_leaves_nothing_behind)
{
    add_child(0, 12, 100);
    add_child(1, 12, 200);
    expect_drop(0, 100);
    now_ns += PATIENCE_NS;
    expect_drop(1, 200);
    send_update(0, 12, 100, 0);
    memory_controller_remove(&controller, &sources[0]);
    memory_controller_remove(&controller, &sources[0]);
    ck_assert_uint_eq(memory_controller_total(&controller) + controller.going_bytes, 13 * UNIT);
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
    tcase_add_test(decisions, a_stalled_child_is_passed_over);
    tcase_add_test(decisions, a_stalled_child_that_speaks_again_is_told_again);
    tcase_add_test(decisions, progress_is_not_a_stall);
    tcase_add_test(decisions, chunks_whose_update_was_lost_go_one_by_one);
    tcase_add_test(decisions, an_unknown_one_before_those_that_were_told_to_go_goes_with_them);
    tcase_add_test(decisions, repeated_updates_change_nothing);
    tcase_add_test(decisions, updates_of_another_session_do_not_count);
    tcase_add_test(decisions, after_its_final_update_nothing_is_asked_of_a_child);
    tcase_add_test(decisions, a_child_that_goes_leaves_nothing_behind);
    tcase_add_test(decisions, nobody_counts_for_more_than_its_cap);
    tcase_add_test(decisions, nothing_is_from_the_future);
    tcase_add_test(decisions, what_the_ledger_says_is_believed);
    tcase_add_test(decisions, exit_profiles_age_with_the_living);
    tcase_add_test(decisions, what_is_held_is_not_chosen);
    tcase_add_test(decisions, the_oldest_of_many_goes_first_whatever_changes);
    tcase_add_test(decisions, the_target_leaves_room_to_grow);
    suite_add_tcase(suite, decisions);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
