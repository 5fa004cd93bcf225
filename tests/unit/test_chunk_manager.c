#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/chunk_manager.h"
#include "buffer/dictionary.h"

enum { SLOTS = 16, LIMIT = 4, GENERATION = 9, ROUNDS = 3000 };

static struct arena arena;
static struct chunk_manager *manager;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, LIMIT * CHUNK_BYTES, &manager), 0);
}

static void tear_down(void)
{
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

/* Gets a chunk and writes as if BLOCKS blocks of ten bytes were in it. */
static struct chunk *get_filled(uint32_t blocks)
{
    struct chunk *chunk = chunk_manager_get(manager, 1);
    ck_assert_ptr_nonnull(chunk);
    memset(chunk->buffer, 0xaa, CHUNK_BUFFER_BYTES);
    chunk->block_count = blocks;
    chunk->offset_past_last_block = blocks * 10;
    return chunk;
}

static uint64_t resident_bytes(void)
{
    struct stat status;
    ck_assert_int_eq(fstat(arena.fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

/* --- within a lease --- */

enum { LEDGER_UNITS = LEASE_LEDGER_MIN_UNITS };

static struct lease_ledger ledger;
static const lease_owner owner = (lease_owner)4242 << 32 | 2,
                         neighbour = (lease_owner)4243 << 32 | 2;

/* An arena with more slots than the ledger has units, none of which is the limit's. */
static void set_up_leased(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)LEDGER_UNITS * LEASE_UNIT_BYTES, &ledger),
                     0);
    close(fd);
    const struct arena_room room = { 2 * LEDGER_UNITS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &arena), 0);
    ck_assert_int_eq(
        chunk_manager_create(&arena, GENERATION, 2 * LEDGER_UNITS * CHUNK_BYTES, &manager), 0);
}

static void tear_down_leased(void)
{
    tear_down();
    lease_ledger_close(&ledger);
}

static void leave_units(uint32_t count)
{
    uint32_t unit;
    while (lease_take(&ledger, neighbour, LEASE_TO_START, &unit) == 0)
        ;
    lease_move(&ledger, neighbour, LEASE_OWNER_NOBODY, count);
}

START_TEST(the_arena_takes_a_unit_and_each_chunk_another)
{
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    struct chunk *chunk = get_filled(1);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert(chunk_manager_prepare(manager, 2));
    ck_assert_uint_eq(lease_count(&ledger, owner), 4);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(lease_count(&ledger, owner), 4);
    ck_assert_uint_ge(lease_count(&ledger, owner) * (uint64_t)LEASE_UNIT_BYTES, resident_bytes());
}
END_TEST

START_TEST(what_is_destroyed_goes_back_to_the_ledger)
{
    struct chunk *chunk = get_filled(1);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX),
                      CHUNK_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
}
END_TEST

START_TEST(without_a_unit_the_oldest_released_chunk_is_recycled)
{
    struct chunk *first = get_filled(3);
    chunk_manager_release(manager, first);
    leave_units(0);
    ck_assert_ptr_eq(chunk_manager_get(manager, 1), first);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 3);
    ck_assert_ptr_null(chunk_manager_get(manager, 2));
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
}
END_TEST

START_TEST(quiet_processes_give_prepared_chunks_back)
{
    ck_assert(chunk_manager_prepare(manager, 4));
    chunk_manager_unprepare(manager, 1);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert_uint_le(resident_bytes(), 2 * LEASE_UNIT_BYTES);
}
END_TEST

START_TEST(at_the_end_of_a_session_all_chunks_go_back)
{
    chunk_manager_release(manager, get_filled(1));
    get_filled(1);
    chunk_manager_prepare(manager, 2);
    chunk_manager_discard_all(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    ck_assert_uint_le(resident_bytes(), LEASE_UNIT_BYTES);
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
}
END_TEST

/* --- handed over --- */

static struct dictionary handed_over;

/* Chunks that nobody paid for, one of them in use; and the ledger that is to pay. */
static void set_up_handover(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)LEDGER_UNITS * LEASE_UNIT_BYTES, &ledger),
                     0);
    close(fd);
    const struct arena_room room = { SLOTS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, NULL, owner, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, SLOTS * CHUNK_BYTES, &manager), 0);
    dictionary_init(&handed_over, &arena);
    for (uint32_t i = 0; i < 5; i++)
        chunk_manager_release(manager, get_filled(1));
    get_filled(7);
    chunk_manager_prepare(manager, 2);
    chunk_manager_close_all(manager);
}

/* How many blocks of session WANTED are in the arena. */
static uint32_t blocks_of(uint32_t wanted)
{
    uint32_t blocks = 0;
    for (uint32_t slot = 0; slot < arena.header->chunk_high_water; slot++) {
        const struct chunk *chunk = arena_chunk(&arena, slot);
        if (chunk->state == CHUNK_RELEASED && chunk->generation == wanted)
            blocks += chunk->block_count;
    }
    return blocks;
}

START_TEST(another_session_goes_on_with_what_one_recorded)
{
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1 + 6);
    ck_assert_int_eq(chunk_manager_continue(manager, GENERATION + 1, SLOTS * CHUNK_BYTES), 0);
    ck_assert_uint_eq(arena.header->generation, GENERATION + 1);
    ck_assert_uint_eq(blocks_of(GENERATION + 1), 5 + 7);
    chunk_manager_release(manager, get_filled(1));
    ck_assert_uint_eq(blocks_of(GENERATION + 1), 5 + 7 + 1);
    ck_assert_uint_eq(arena.header->produced_blocks, 5 + 7 + 1);
    chunk_manager_discard_all(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
}
END_TEST

START_TEST(what_the_new_ledger_cannot_pay_goes_oldest_first)
{
    leave_units(5); /* of which two are for processes that start */
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1 + 2);
    ck_assert_uint_le(resident_bytes(), 3 * LEASE_UNIT_BYTES);
    ck_assert_uint_eq(blocks_of(GENERATION), 1 + 7);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 4);
}
END_TEST

START_TEST(without_a_unit_nothing_stays)
{
    leave_units(1);
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    ck_assert_uint_le(resident_bytes(), LEASE_UNIT_BYTES);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 5 + 7);
}
END_TEST

START_TEST(without_any_unit_there_is_no_arena)
{
    struct arena none;
    leave_units(0);
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, (lease_owner)9 << 32 | 2, &none), -ENOSPC);
    ck_assert_int_eq(none.fd, -1);
}
END_TEST

START_TEST(the_dictionary_grows_only_within_the_lease)
{
    struct dictionary dictionary;
    static char text[4096];
    int error = 0;
    uint64_t put = 0;
    memset(text, 'x', sizeof(text) - 1);
    dictionary_init(&dictionary, &arena);
    leave_units(1);
    while ((error = dictionary_put_log(&dictionary, 1, text)) == 0)
        put += sizeof(text) - 1;
    ck_assert_int_eq(error, -ENOSPC);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert_uint_gt(put, LEASE_UNIT_BYTES);
    ck_assert_uint_le(ARENA_HEADER_BYTES + arena.header->dictionary_used_bytes,
                      2 * LEASE_UNIT_BYTES);
    ck_assert_uint_gt(arena.header->drops[DROP_DICTIONARY_FULL], 0);
}
END_TEST

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

/* --- controlled --- */

static struct chunk_update last_update, folded;
static unsigned update_count;

static void remember_update(const struct chunk_update *update, void *context)
{
    ck_assert_ptr_eq(context, &last_update);
    last_update = *update;
    update_count++;
    ck_assert_int_eq(chunk_update_fold(&folded, update), 0);
}

static void listen_to_updates(void)
{
    update_count = 0;
    folded.kind = CHUNK_UPDATE_NONE;
    chunk_manager_set_update_callback(manager, remember_update, &last_update);
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

/* --- in signal handlers --- */

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

    TCase *controlled = tcase_create("controlled");
    tcase_add_checked_fixture(controlled, set_up, tear_down);
    tcase_add_test(controlled, a_listener_first_hears_of_everything_there_is);
    tcase_add_test(controlled, every_change_is_told);
    tcase_add_test(controlled, the_final_update_is_the_last);
    tcase_add_test(controlled, the_end_of_the_manager_is_final_too);
    tcase_add_test(controlled, destruction_goes_by_the_time_of_done);
    suite_add_tcase(suite, controlled);

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

    TCase *leased = tcase_create("within a lease");
    tcase_add_checked_fixture(leased, set_up_leased, tear_down_leased);
    tcase_add_test(leased, the_arena_takes_a_unit_and_each_chunk_another);
    tcase_add_test(leased, what_is_destroyed_goes_back_to_the_ledger);
    tcase_add_test(leased, without_a_unit_the_oldest_released_chunk_is_recycled);
    tcase_add_test(leased, quiet_processes_give_prepared_chunks_back);
    tcase_add_test(leased, at_the_end_of_a_session_all_chunks_go_back);
    tcase_add_test(leased, without_any_unit_there_is_no_arena);
    tcase_add_test(leased, the_dictionary_grows_only_within_the_lease);
    suite_add_tcase(suite, leased);
    TCase *handover = tcase_create("handed over");
    tcase_add_checked_fixture(handover, set_up_handover, tear_down_leased);
    tcase_add_test(handover, another_session_goes_on_with_what_one_recorded);
    tcase_add_test(handover, what_the_new_ledger_cannot_pay_goes_oldest_first);
    tcase_add_test(handover, without_a_unit_nothing_stays);
    suite_add_tcase(suite, handover);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
