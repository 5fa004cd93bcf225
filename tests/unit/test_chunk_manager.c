/* buffer.chunk_manager: chunks within a limit. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/chunk_scene.h"
#include "tests/unit/run_suite.h"

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, LIMIT * CHUNK_BYTES, &manager), 0);
}

static uint64_t resident_bytes(void)
{
    struct stat status;
    ck_assert_int_eq(fstat(arena.fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

/* --- single --- */

START_TEST(single_gives_its_chunk_once_until_reset)
{
    static _Alignas(64) uint8_t memory[CHUNK_BYTES];
    struct chunk_manager_single single;
    chunk_manager_single_init(&single, memory);
    ck_assert_int_eq(chunk_manager_single_release(&single), -EINVAL);

    struct chunk *chunk = chunk_manager_single_get(&single);
    ck_assert_ptr_eq(chunk, memory);
    ck_assert_uint_eq(chunk->state, CHUNK_IN_USE);
    ck_assert_ptr_null(chunk_manager_single_get(&single));
    chunk_manager_single_reset(&single);
    ck_assert_ptr_null(chunk_manager_single_get(&single));

    ck_assert_int_eq(chunk_manager_single_release(&single), 0);
    ck_assert_uint_eq(chunk->state, CHUNK_RELEASED);
    ck_assert_uint_ge(chunk->done.monotonic_ns, chunk->start.monotonic_ns);
    ck_assert_int_eq(chunk_manager_single_release(&single), -EINVAL);
    ck_assert_ptr_null(chunk_manager_single_get(&single));

    chunk_manager_single_reset(&single);
    ck_assert_ptr_eq(chunk_manager_single_get(&single), chunk);
}
END_TEST

/* --- with local limit --- */

START_TEST(a_limit_under_one_chunk_is_refused)
{
    struct chunk_manager *other = NULL;
    ck_assert_int_eq(chunk_manager_create(&arena, 1, CHUNK_BYTES - 1, &other), -EINVAL);
    ck_assert_ptr_null(other);
}
END_TEST

START_TEST(a_chunk_is_in_use_and_says_whose_it_is)
{
    struct chunk *first = chunk_manager_get(manager, 5);
    struct chunk *second = chunk_manager_get(manager, CHUNK_WRITER_SAMPLER);
    ck_assert_uint_eq(arena.header->generation, GENERATION);
    ck_assert_uint_eq(first->state, CHUNK_IN_USE);
    ck_assert_uint_eq(first->writer_index, 5);
    ck_assert_uint_eq(first->generation, GENERATION);
    ck_assert_uint_eq(second->writer_index, CHUNK_WRITER_SAMPLER);
    ck_assert_uint_eq(second->range_start, first->range_start + CHUNK_BUFFER_BYTES);
    ck_assert_uint_eq(arena.header->chunk_high_water, 2);
}
END_TEST

START_TEST(at_the_limit_with_nothing_released_there_is_none)
{
    for (int i = 0; i < LIMIT; i++)
        ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
    ck_assert_uint_eq(arena.header->chunk_high_water, LIMIT);
}
END_TEST

START_TEST(a_limit_above_the_arena_ends_with_the_arena)
{
    chunk_manager_set_limit(manager, UINT64_MAX);
    for (int i = 0; i < SLOTS; i++)
        ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
}
END_TEST

START_TEST(release_makes_done_and_released)
{
    struct chunk *chunk = get_filled(1);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(chunk->state, CHUNK_RELEASED);
    ck_assert_uint_ge(chunk->done.ticks, chunk->start.ticks);
    ck_assert_uint_ge(chunk->done.monotonic_ns, chunk->start.monotonic_ns);
    ck_assert_uint_eq(chunk->offset_past_last_block, 10);
}
END_TEST

START_TEST(at_the_limit_the_oldest_released_is_recycled_and_counted)
{
    struct chunk *chunks[LIMIT];
    for (int i = 0; i < LIMIT; i++)
        chunks[i] = get_filled(5 + (uint32_t)i);
    chunk_manager_release(manager, chunks[2]);
    chunk_manager_release(manager, chunks[0]);
    uint64_t old_range_start = chunks[2]->range_start;
    ck_assert_ptr_eq(chunk_manager_get(manager, 3), chunks[2]);
    ck_assert_uint_eq(chunks[2]->block_count, 0);
    ck_assert_uint_eq(chunks[2]->offset_past_last_block, 0);
    ck_assert_uint_gt(chunks[2]->range_start, old_range_start);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 7);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 7);
    ck_assert_uint_eq(arena.header->drop_bytes[DROP_RECYCLED], 70);
    ck_assert_uint_eq(chunks[0]->state, CHUNK_RELEASED);
}
END_TEST

START_TEST(below_the_limit_nothing_is_recycled)
{
    struct chunk *first = get_filled(5);
    chunk_manager_release(manager, first);
    for (int i = 1; i < LIMIT; i++)
        ck_assert_ptr_ne(chunk_manager_get(manager, 1), first);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 0);
}
END_TEST

START_TEST(exchange_at_a_limit_of_one_recycles_the_same_chunk)
{
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    struct chunk *chunk = get_filled(2);
    ck_assert_ptr_eq(chunk_manager_exchange(manager, chunk, 1), chunk);
    ck_assert_uint_eq(chunk->state, CHUNK_IN_USE);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 2);
}
END_TEST

START_TEST(releasing_what_is_not_in_use_changes_nothing)
{
    static _Alignas(64) uint8_t stranger[CHUNK_BYTES];
    struct chunk *chunk = get_filled(1);
    chunk_manager_release(manager, chunk);
    struct clock_pair done = chunk->done;
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(chunk->done.ticks, done.ticks);
    chunk_manager_release(manager, arena_chunk(&arena, 7));
    chunk_manager_release(manager, (struct chunk *)(void *)stranger);
    chunk_manager_release(manager, (struct chunk *)(void *)(arena.chunks + 64));
    for (int i = 1; i < LIMIT; i++)
        ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
    ck_assert_ptr_eq(chunk_manager_get(manager, 1), chunk);
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
}
END_TEST

START_TEST(a_lower_limit_destroys_the_oldest_released_and_frees_memory)
{
    struct chunk *chunks[LIMIT];
    for (int i = 0; i < LIMIT; i++)
        chunks[i] = get_filled(1);
    for (int i = 0; i < 3; i++)
        chunk_manager_release(manager, chunks[i]);
    uint64_t before = resident_bytes();
    chunk_manager_set_limit(manager, 2 * CHUNK_BYTES);
    ck_assert_uint_eq(before - resident_bytes(), 2 * CHUNK_BYTES);
    ck_assert_uint_eq(chunks[0]->state, CHUNK_FREE);
    ck_assert_uint_eq(chunks[1]->state, CHUNK_FREE);
    ck_assert_uint_eq(chunks[2]->state, CHUNK_RELEASED);
    ck_assert_uint_eq(chunks[3]->state, CHUNK_IN_USE);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 2);
}
END_TEST

START_TEST(chunks_in_use_above_a_lower_limit_go_when_released)
{
    struct chunk *chunks[LIMIT];
    for (int i = 0; i < LIMIT; i++)
        chunks[i] = get_filled(1);
    chunk_manager_set_limit(manager, 0);
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
    for (int i = 0; i < LIMIT; i++) {
        ck_assert_uint_eq(chunks[i]->state, CHUNK_IN_USE);
        ck_assert_ptr_null(chunk_manager_exchange(manager, chunks[i], 1));
        ck_assert_uint_eq(chunks[i]->state, CHUNK_FREE);
    }
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
}
END_TEST

START_TEST(prepared_chunks_have_their_memory_and_go_first)
{
    struct chunk *released = get_filled(1);
    chunk_manager_release(manager, released);
    uint64_t before = resident_bytes();
    ck_assert(chunk_manager_prepare(manager, 2));
    ck_assert(!chunk_manager_prepare(manager, 2));
    ck_assert_uint_eq(resident_bytes() - before, 2 * CHUNK_BYTES);
    for (int i = 0; i < 2; i++)
        memset(chunk_manager_get(manager, 1)->buffer, 1, CHUNK_BUFFER_BYTES);
    ck_assert_uint_eq(resident_bytes() - before, 2 * CHUNK_BYTES);
}
END_TEST

START_TEST(preparing_stays_within_the_limit)
{
    get_filled(1);
    ck_assert(chunk_manager_prepare(manager, SLOTS));
    ck_assert(chunk_manager_prepare(manager, SLOTS));
    ck_assert_uint_eq(arena.header->chunk_high_water, LIMIT);
    uint64_t before = resident_bytes();
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    ck_assert_uint_eq(before - resident_bytes(), (LIMIT - 1) * CHUNK_BYTES);
}
END_TEST

START_TEST(a_new_session_starts_with_an_empty_arena)
{
    struct chunk *chunk = get_filled(1);
    get_filled(1);
    chunk_manager_destroy(manager);
    ck_assert_uint_eq(chunk->state, CHUNK_IN_USE);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION + 1, CHUNK_BYTES, &manager), 0);
    ck_assert_uint_eq(chunk->state, CHUNK_FREE);
    ck_assert_uint_eq(arena.header->generation, GENERATION + 1);
    ck_assert_uint_eq(arena.header->chunk_high_water, 0);
    ck_assert_uint_le(resident_bytes(), 2 * ARENA_HEADER_BYTES);
    ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
}
END_TEST

START_TEST(locked_memory_is_given_back_too)
{
    struct chunk *chunk = get_filled(1);
    chunk_manager_release(manager, chunk);
    if (mlock(arena.chunks, CHUNK_BYTES) != 0)
        return; /* this machine does not let us */
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX),
                      CHUNK_BYTES);
    ck_assert_uint_eq(chunk->block_count, 0);
}
END_TEST

START_TEST(destruction_goes_by_the_time_of_done)
{
    struct chunk *chunks[LIMIT];
    for (int i = 0; i < LIMIT; i++)
        chunks[i] = get_filled(1);
    for (int i = 0; i < 3; i++)
        chunk_manager_release(manager, chunks[i]);
    uint64_t middle_ns = chunks[1]->done.monotonic_ns;
    uint64_t first_ns = chunks[0]->done.monotonic_ns;
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, first_ns - 1), 0);
    uint64_t before = resident_bytes();
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, middle_ns),
                      2 * CHUNK_BYTES);
    ck_assert_uint_eq(before - resident_bytes(), 2 * CHUNK_BYTES);
    ck_assert_uint_eq(chunks[2]->state, CHUNK_RELEASED);
    ck_assert_uint_eq(chunks[3]->state, CHUNK_IN_USE);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 2);
    ck_assert_ptr_nonnull(chunk_manager_get(manager, 1));
}
END_TEST

/* --- threads and forks --- */

static void *exchange_often(void *context)
{
    uint32_t writer_index = (uint32_t)(uintptr_t)context;
    struct chunk *chunk = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        chunk = chunk_manager_exchange(manager, chunk, writer_index);
        if (chunk == NULL)
            continue;
        if (chunk->writer_index != writer_index || chunk->block_count != 0)
            return "a chunk was given twice";
        chunk->block_count = 1;
        if (round % 7 == 0)
            chunk_manager_prepare(manager, 1);
        if (round % 11 == 0)
            chunk_manager_destroy_released_at_or_before(manager, chunk->start.monotonic_ns);
    }
    if (chunk != NULL)
        chunk_manager_release(manager, chunk);
    return NULL;
}

START_TEST(threads_never_share_a_chunk_and_no_block_goes_uncounted)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, exchange_often, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_msg(problem == NULL, "%s", (char *)problem);
    }
    chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
    uint64_t lives = arena.header->next_range_start / CHUNK_BUFFER_BYTES;
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], lives);
    ck_assert_uint_le(arena.header->chunk_high_water, LIMIT);
}
END_TEST

START_TEST(a_forked_child_gets_no_copy)
{
    struct chunk *chunk = get_filled(1);
    int status, ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(write(ends[1], manager, 1) < 0 && errno == EFAULT ? 0 : 1);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(chunk->state, CHUNK_RELEASED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_manager");
    TCase *single = tcase_create("single");
    tcase_add_test(single, single_gives_its_chunk_once_until_reset);
    suite_add_tcase(suite, single);

    TCase *local = tcase_create("with local limit");
    tcase_add_checked_fixture(local, set_up, tear_down);
    tcase_add_test(local, a_limit_under_one_chunk_is_refused);
    tcase_add_test(local, a_chunk_is_in_use_and_says_whose_it_is);
    tcase_add_test(local, at_the_limit_with_nothing_released_there_is_none);
    tcase_add_test(local, a_limit_above_the_arena_ends_with_the_arena);
    tcase_add_test(local, release_makes_done_and_released);
    tcase_add_test(local, at_the_limit_the_oldest_released_is_recycled_and_counted);
    tcase_add_test(local, below_the_limit_nothing_is_recycled);
    tcase_add_test(local, exchange_at_a_limit_of_one_recycles_the_same_chunk);
    tcase_add_test(local, releasing_what_is_not_in_use_changes_nothing);
    tcase_add_test(local, a_lower_limit_destroys_the_oldest_released_and_frees_memory);
    tcase_add_test(local, chunks_in_use_above_a_lower_limit_go_when_released);
    tcase_add_test(local, prepared_chunks_have_their_memory_and_go_first);
    tcase_add_test(local, preparing_stays_within_the_limit);
    tcase_add_test(local, a_new_session_starts_with_an_empty_arena);
    tcase_add_test(local, locked_memory_is_given_back_too);
    tcase_add_test(local, threads_never_share_a_chunk_and_no_block_goes_uncounted);
    tcase_add_test(local, a_forked_child_gets_no_copy);
    suite_add_tcase(suite, local);

    tcase_add_test(local, destruction_goes_by_the_time_of_done);
    return run_suite(suite);
}
