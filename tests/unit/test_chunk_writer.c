#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_writer.h"
#include "tests/unit/run_suite.h"

enum { SLOTS = 8, LARGEST_ENTRY = CHUNK_BUFFER_BYTES - LEB128_MAX_BYTES };

static struct arena arena;
static struct chunk_manager *manager;
static struct chunk_writer writer;
static uint8_t entry[CHUNK_BUFFER_BYTES + 1];
static struct chunk_copy copy;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, SLOTS * CHUNK_BYTES, &manager), 0);
    chunk_writer_init(&writer, manager, 3);
    for (size_t i = 0; i < sizeof(entry); i++)
        entry[i] = (uint8_t)(i * 7 + 1);
}

static void tear_down(void)
{
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

START_TEST(no_chunk_is_taken_before_the_first_block)
{
    ck_assert_ptr_null(writer.chunk);
    ck_assert(!chunk_writer_has_room(&writer, 0));
    chunk_writer_finish(&writer);
    ck_assert_uint_eq(arena.header->next_range_start, 0);
}
END_TEST

START_TEST(a_block_is_its_size_and_the_entry)
{
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 3), 0);
    static const uint8_t expected[] = { 3, 1, 8, 15 };
    ck_assert_mem_eq(writer.chunk->buffer, expected, sizeof(expected));
    ck_assert_uint_eq(writer.chunk->offset_past_last_block, sizeof(expected));
    ck_assert_uint_eq(writer.chunk->block_count, 1);
    ck_assert_uint_eq(writer.chunk->writer_index, 3);
    ck_assert_uint_eq(writer.last_ticks, writer.chunk->start.ticks);
}
END_TEST

/* Reads back what was put, chunk by chunk; returns the number of blocks. */
static unsigned count_blocks_of(size_t entry_bytes)
{
    struct arena_reader *reader;
    unsigned blocks = 0;
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        struct block_cursor cursor;
        uint8_t kind;
        const uint8_t *payload;
        size_t payload_bytes;
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        block_cursor_init(&cursor, &copy);
        while (block_cursor_next(&cursor, &kind, &payload, &payload_bytes) == 1) {
            ck_assert_uint_eq(kind, entry[0]);
            ck_assert_uint_eq(payload_bytes, entry_bytes - 1);
            ck_assert_mem_eq(payload, entry + 1, payload_bytes);
            blocks++;
        }
        ck_assert_ptr_eq(cursor.next, cursor.end);
    }
    arena_reader_close(reader);
    return blocks;
}

static const size_t sizes[] = { 1, 2, 7, 127, 128, 1000, 16383, 16384, 30000, LARGEST_ENTRY };

START_TEST(blocks_of_any_size_fill_chunks_without_crossing)
{
    unsigned put = 0;
    while (writer.chunk == NULL || writer.chunk->range_start < 4 * CHUNK_BUFFER_BYTES) {
        ck_assert_int_eq(chunk_writer_put(&writer, entry, sizes[_i]), 0);
        ck_assert(writer.next <= writer.end);
        put++;
    }
    chunk_writer_finish(&writer);
    ck_assert_uint_eq(count_blocks_of(sizes[_i]), put);
}
END_TEST

START_TEST(a_full_chunk_is_given_back_and_a_new_one_taken)
{
    ck_assert_int_eq(chunk_writer_put(&writer, entry, LARGEST_ENTRY), 0);
    struct chunk *first = writer.chunk;
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 100), 0);
    ck_assert_ptr_ne(writer.chunk, first);
    ck_assert_uint_eq(first->state, CHUNK_RELEASED);
    ck_assert_uint_eq(writer.chunk->state, CHUNK_IN_USE);
}
END_TEST

START_TEST(finishing_gives_the_chunk_back_once)
{
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 100), 0);
    struct chunk *chunk = writer.chunk;
    chunk_writer_finish(&writer);
    ck_assert_uint_eq(chunk->state, CHUNK_RELEASED);
    ck_assert_ptr_null(writer.chunk);
    chunk_writer_finish(&writer);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 100), 0);
    ck_assert_ptr_ne(writer.chunk, chunk);
}
END_TEST

START_TEST(what_no_chunk_holds_is_refused_and_counted)
{
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), 0);
    struct chunk *chunk = writer.chunk;
    ck_assert_int_eq(chunk_writer_put(&writer, entry, LARGEST_ENTRY + 1), -EMSGSIZE);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, CHUNK_BUFFER_BYTES + 1), -EMSGSIZE);
    ck_assert_int_eq(chunk_writer_refill(&writer, SIZE_MAX), -EMSGSIZE);
    ck_assert_uint_eq(arena.header->drops[DROP_BLOCK_TOO_LARGE], 3);
    ck_assert_ptr_eq(writer.chunk, chunk);
    ck_assert_uint_eq(chunk->block_count, 1);
}
END_TEST

START_TEST(at_the_memory_limit_blocks_are_refused_and_counted)
{
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    struct chunk *taken = chunk_manager_get(manager, 1);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), -ENOBUFS);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), -ENOBUFS);
    ck_assert_uint_eq(arena.header->drops[DROP_MEMORY_LIMIT], 2);
    chunk_manager_release(manager, taken);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), 0);
    ck_assert_ptr_eq(writer.chunk, taken);
}
END_TEST

START_TEST(a_block_that_was_not_published_is_not_there)
{
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), 0);
    memset(writer.next, 0xff, 100);
    ck_assert_uint_eq(count_blocks_of(10), 1);
}
END_TEST

/* --- Writers that never wait --- */

static sem_t is_held, may_go_on;

/* The manager is held while it tells. */
static void hold_the_manager(const struct chunk_update *update, void *context)
{
    (void)context;
    if (update->kind == CHUNK_UPDATE_FINAL)
        return;
    sem_post(&is_held);
    sem_wait(&may_go_on);
}

static void *tell_somebody(void *context)
{
    (void)context;
    chunk_manager_set_update_callback(manager, hold_the_manager, NULL);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    return NULL;
}

START_TEST(a_writer_in_a_handler_does_without_a_chunk_that_it_would_wait_for)
{
    pthread_t holder;
    chunk_writer_init_in_handler(&writer, manager, 3);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 30000), 0);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 30000), 0);
    struct chunk *first = writer.chunk;
    sem_init(&is_held, 0, 0);
    sem_init(&may_go_on, 0, 0);
    ck_assert_int_eq(pthread_create(&holder, NULL, tell_somebody, NULL), 0);
    sem_wait(&is_held);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 30000), -EAGAIN);
    ck_assert_int_eq(chunk_writer_refill(&writer, 1), -EAGAIN);
    ck_assert_ptr_eq(writer.chunk, first);
    ck_assert_uint_eq(first->state, CHUNK_IN_USE);
    ck_assert_uint_eq(first->block_count, 2);
    sem_post(&may_go_on);
    pthread_join(holder, NULL);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 30000), 0);
    ck_assert_ptr_ne(writer.chunk, first);
    ck_assert_uint_eq(first->state, CHUNK_RELEASED);
    ck_assert_uint_eq(count_blocks_of(30000), 3);
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++)
        ck_assert_uint_eq(arena.header->drops[cause], 0);
}
END_TEST

START_TEST(a_writer_in_a_handler_is_told_of_the_memory_limit)
{
    chunk_writer_init_in_handler(&writer, manager, 3);
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    struct chunk *taken = chunk_manager_get(manager, 1);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), -ENOBUFS);
    ck_assert_uint_eq(arena.header->drops[DROP_MEMORY_LIMIT], 1);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, CHUNK_BUFFER_BYTES), -EMSGSIZE);
    chunk_manager_release(manager, taken);
    ck_assert_int_eq(chunk_writer_put(&writer, entry, 10), 0);
    ck_assert_ptr_eq(writer.chunk, taken);
    chunk_writer_finish(&writer);
    ck_assert_uint_eq(taken->state, CHUNK_RELEASED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_writer");
    TCase *tests = tcase_create("writer");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, no_chunk_is_taken_before_the_first_block);
    tcase_add_test(tests, a_block_is_its_size_and_the_entry);
    tcase_add_loop_test(tests, blocks_of_any_size_fill_chunks_without_crossing, 0,
                        sizeof(sizes) / sizeof(sizes[0]));
    tcase_add_test(tests, a_full_chunk_is_given_back_and_a_new_one_taken);
    tcase_add_test(tests, finishing_gives_the_chunk_back_once);
    tcase_add_test(tests, what_no_chunk_holds_is_refused_and_counted);
    tcase_add_test(tests, at_the_memory_limit_blocks_are_refused_and_counted);
    tcase_add_test(tests, a_block_that_was_not_published_is_not_there);
    tcase_add_test(tests, a_writer_in_a_handler_does_without_a_chunk_that_it_would_wait_for);
    tcase_add_test(tests, a_writer_in_a_handler_is_told_of_the_memory_limit);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
