/* buffer.chunk_manager: what its listener is told. */

#include "tests/unit/chunk_update_scene.h"
#include "tests/unit/run_suite.h"

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, LIMIT * CHUNK_BYTES, &manager), 0);
}

START_TEST(a_listener_first_hears_of_everything_there_is)
{
    struct chunk *first = get_filled(1), *second = get_filled(1);
    get_filled(1);
    chunk_manager_release(manager, second);
    chunk_manager_release(manager, first);
    listen_to_updates();
    ck_assert_uint_eq(update_count, 1);
    ck_assert_int_eq(last_update.kind, CHUNK_UPDATE_ORDINARY);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(last_update.released_bytes, 2 * CHUNK_BYTES);
    ck_assert_uint_eq(last_update.oldest_done_ns, second->done.monotonic_ns);
    ck_assert_uint_eq(last_update.newly_released_count, 2);
    ck_assert_uint_eq(last_update.newly_released[0].sequence, 1);
    ck_assert_uint_eq(last_update.newly_released[0].done_ns, second->done.monotonic_ns);
    ck_assert_uint_eq(last_update.newly_released[1].sequence, 0);
}
END_TEST

START_TEST(every_change_is_told)
{
    listen_to_updates();
    struct chunk *chunk = get_filled(1);
    ck_assert_uint_eq(update_count, 2);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(last_update.newly_released_count, 0);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(update_count, 3);
    ck_assert_uint_eq(last_update.unreleased_bytes, 0);
    ck_assert_uint_eq(last_update.released_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(last_update.newly_released_count, 1);
    ck_assert_uint_eq(last_update.newly_released[0].bytes, CHUNK_BYTES);
    chunk_manager_prepare(manager, 1);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
    ck_assert_uint_eq(update_count, 5);
    ck_assert_uint_eq(last_update.released_bytes, 0);
    ck_assert_uint_eq(last_update.oldest_done_ns, 0);
}
END_TEST

START_TEST(the_final_update_is_the_last)
{
    listen_to_updates();
    get_filled(1);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    ck_assert_uint_eq(update_count, 3);
    ck_assert_int_eq(last_update.kind, CHUNK_UPDATE_FINAL);
    ck_assert_uint_eq(last_update.unreleased_bytes, CHUNK_BYTES);
    get_filled(1);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    ck_assert_uint_eq(update_count, 3);
}
END_TEST

START_TEST(the_end_of_the_manager_is_final_too)
{
    listen_to_updates();
    chunk_manager_destroy(manager);
    manager = NULL;
    ck_assert_int_eq(last_update.kind, CHUNK_UPDATE_FINAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_told");

    TCase *controlled = tcase_create("controlled");
    tcase_add_checked_fixture(controlled, set_up, tear_down);
    tcase_add_test(controlled, a_listener_first_hears_of_everything_there_is);
    tcase_add_test(controlled, every_change_is_told);
    tcase_add_test(controlled, the_final_update_is_the_last);
    tcase_add_test(controlled, the_end_of_the_manager_is_final_too);
    suite_add_tcase(suite, controlled);
    return run_suite(suite);
}
