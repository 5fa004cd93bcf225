/* buffer.arena_reader: arenas that change while they are read, and the account of what was
 * recorded. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/arena_reader_scene.h"
#include "tests/unit/run_suite.h"

/* Opens the reader between two blocks of WRITER, which has one chunk. */
static void open_reader_while_writing(struct chunk_writer *writer)
{
    uint8_t entry[] = { 1, 2 };
    chunk_writer_init(writer, manager, 1);
    ck_assert_int_eq(chunk_writer_put(writer, entry, sizeof(entry)), 0);
    open_reader();
    ck_assert_int_eq(chunk_writer_put(writer, entry, sizeof(entry)), 0);
}

START_TEST(a_chunk_that_grew_since_is_read_whole)
{
    struct chunk_writer writer;
    open_reader_while_writing(&writer);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(copy.block_count, 2);
}
END_TEST

/* --- the account --- */

static void read_all(void)
{
    open_reader();
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++)
        (void)arena_reader_copy_chunk(reader, i, &copy);
}

/* Of what was produced, so much is neither kept nor dropped. */
static void is_lost(int64_t blocks, int64_t bytes)
{
    struct arena_info account = read_info();
    uint64_t dropped_blocks = 0, dropped_bytes = 0;
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (drop_cause_counts_blocks((enum drop_cause)cause)) {
            dropped_blocks += account.drops[cause];
            dropped_bytes += account.drop_bytes[cause];
        }
    }
    ck_assert_int_eq((int64_t)(account.produced_blocks - account.kept_blocks - dropped_blocks),
                     blocks);
    ck_assert_int_eq((int64_t)(account.produced_bytes - account.kept_bytes - dropped_bytes), bytes);
}

START_TEST(what_was_produced_is_kept_or_dropped)
{
    static uint8_t too_large[CHUNK_BUFFER_BYTES];
    struct chunk_writer writer;
    for (uint32_t i = 1; i <= 4; i++)
        put_chunk(i);
    chunk_manager_release(manager, arena_chunk(&arena, 0));
    chunk_manager_release(manager, arena_chunk(&arena, 1));
    chunk_manager_set_limit(manager, 4 * CHUNK_BYTES);
    put_chunk(5);
    chunk_writer_init(&writer, manager, 6);
    ck_assert_int_eq(chunk_writer_put(&writer, too_large, sizeof(too_large)), -EMSGSIZE);
    read_all();
    ck_assert_uint_eq(read_info().produced_blocks, 6);
    ck_assert_uint_eq(read_info().kept_blocks, 4);
    is_lost(0, 0);
}
END_TEST

START_TEST(what_is_recorded_while_it_is_read_is_produced_as_well)
{
    struct chunk_writer writer;
    open_reader_while_writing(&writer);
    chunk_writer_finish(&writer);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(read_info().produced_blocks, 2);
    is_lost(0, 0);
}
END_TEST

/* As a program may that writes where it should not. */
START_TEST(a_chunk_that_vanished_is_missed)
{
    struct chunk *full = put_chunk(1), *in_use = put_chunk(2);
    put_chunk(3);
    chunk_manager_release(manager, full);
    full->state = CHUNK_FREE;
    in_use->state = CHUNK_FREE;
    chunk_manager_release(manager, in_use);
    read_all();
    ck_assert_uint_eq(read_info().kept_blocks, 1);
    is_lost(2, 2 * 4);
}
END_TEST

START_TEST(a_session_has_an_account_of_its_own)
{
    struct chunk_manager *next;
    chunk_manager_release(manager, put_chunk(1));
    arena_count_refused_block(arena.header, DROP_REENTRANT, 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION + 1, SLOTS * CHUNK_BYTES, &next), 0);
    read_all();
    ck_assert_uint_eq(read_info().produced_blocks, 0);
    is_lost(0, 0);
    chunk_manager_destroy(next);
}
END_TEST

/* --- while it is written --- */

static struct chunk *racing_chunk;
static bool race_destroys;

/* The reader touched the guarded page of a chunk that it copies: the chunk gets another life now.
 */
static void recycle_under_the_reader(int signal_number)
{
    (void)signal_number;
    if (mprotect(racing_chunk, CHUNK_BYTES, PROT_READ | PROT_WRITE) != 0)
        _exit(3);
    chunk_manager_release(manager, racing_chunk);
    if (race_destroys) {
        chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
        return;
    }
    if (chunk_manager_get(manager, 9) != racing_chunk)
        _exit(4);
    racing_chunk->offset_past_last_block = CHUNK_BUFFER_BYTES;
}

START_TEST(a_chunk_that_changes_hands_while_it_is_copied_is_not_there)
{
    struct sigaction action = { .sa_handler = recycle_under_the_reader };
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    racing_chunk = put_chunk(1);
    racing_chunk->offset_past_last_block = CHUNK_BUFFER_BYTES;
    race_destroys = _i == 1;
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader), 0);
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 1);
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    ck_assert_int_eq(mprotect((uint8_t *)racing_chunk + CHUNK_BYTES / 2, 4096, PROT_NONE), 0);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), -ENOENT);
    ck_assert_uint_eq(read_info().bad_chunks + read_info().kept_blocks, 0);
}
END_TEST

static _Atomic bool is_over;

/* Entries whose bytes all are the same, of different lengths. */
static void *write_on(void *context)
{
    struct chunk_writer writer;
    uint8_t entry[64];
    chunk_writer_init(&writer, manager, (uint32_t)(uintptr_t)context);
    for (unsigned i = 0; !is_over; i++) {
        memset(entry, (int)(i % 251), sizeof(entry));
        if (chunk_writer_put(&writer, entry, 1 + i % sizeof(entry)) != 0)
            return "refused";
    }
    chunk_writer_finish(&writer);
    return NULL;
}

static void check_copy(void)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t payload_bytes;
    int result;
    block_cursor_init(&cursor, &copy);
    size_t foreign_bytes = 0;
    while ((result = block_cursor_next(&cursor, &kind, &payload, &payload_bytes)) == 1)
        for (size_t i = 0; i < payload_bytes; i++)
            foreign_bytes += payload[i] != kind;
    ck_assert_int_eq(result, 0);
    ck_assert_uint_eq(foreign_bytes, 0);
}

START_TEST(no_half_block_is_seen_while_others_write_and_recycle)
{
    pthread_t threads[2];
    unsigned copied = 0;
    is_over = false;
    chunk_manager_set_limit(manager, 6 * CHUNK_BYTES);
    for (uintptr_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_on, (void *)i), 0);
    while (copied < 300) {
        int result = _i == 0 ? arena_reader_open(arena.fd, &reader)
                             : arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader);
        ck_assert_int_eq(result, 0);
        for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
            result = arena_reader_copy_chunk(reader, i, &copy);
            ck_assert(result == 0 || result == -ENOENT);
            if (result == 0) {
                check_copy();
                copied++;
            }
        }
        ck_assert_uint_eq(read_info().bad_chunks + read_info().bad_blocks, 0);
        arena_reader_close(reader);
        reader = NULL;
    }
    is_over = true;
    for (int i = 0; i < 2; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_ptr_null(problem);
    }
}
END_TEST

/* Writes with its own arena until it is killed; its parent has the descriptor. */
static void record_until_killed(int fd_out)
{
    struct arena own;
    struct chunk_writer writer;
    uint8_t entry[] = { 42, 42, 42 };
    if (arena_create(SLOTS * CHUNK_BYTES, &own) != 0 ||
        chunk_manager_create(&own, 1, 2 * CHUNK_BYTES, &manager) != 0)
        _exit(1);
    dup2(own.fd, fd_out);
    chunk_writer_init(&writer, manager, 0);
    for (;;)
        if (chunk_writer_put(&writer, entry, sizeof(entry)) != 0)
            _exit(2);
}

START_TEST(what_a_killed_process_recorded_is_all_there)
{
    /* A pidfd-less way to its descriptor: /proc/PID/fd, once the first chunk was recycled. */
    char path[64];
    int status, fd = -1;
    uint64_t recycled = 0;
    pid_t child = fork();
    if (child == 0)
        record_until_killed(100);
    snprintf(path, sizeof(path), "/proc/%d/fd/100", (int)child);
    while (recycled == 0) {
        if (fd < 0)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
        if (fd >= 0)
            ck_assert_int_ge(pread(fd, &recycled, sizeof(recycled),
                                   (off_t)offsetof(struct arena_header, drops[DROP_RECYCLED])),
                             0);
    }
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(arena_reader_open(fd, &reader), 0);
    ck_assert_int_eq(read_info().process_id, child);
    ck_assert_uint_ge(arena_reader_chunk_count(reader), 1);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        check_copy();
    }
    ck_assert_uint_ge(read_info().kept_blocks, CHUNK_BUFFER_BYTES / 4 - 4);
    close(fd);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.arena_written");

    TCase *tests = make_case(suite, "account");
    tcase_add_test(tests, a_chunk_that_grew_since_is_read_whole);
    tcase_add_test(tests, what_was_produced_is_kept_or_dropped);
    tcase_add_test(tests, what_is_recorded_while_it_is_read_is_produced_as_well);
    tcase_add_test(tests, a_chunk_that_vanished_is_missed);
    tcase_add_test(tests, a_session_has_an_account_of_its_own);

    tests = make_case(suite, "live and dead");
    tcase_add_loop_test(tests, a_chunk_that_changes_hands_while_it_is_copied_is_not_there, 0, 2);
    tcase_add_loop_test(tests, no_half_block_is_seen_while_others_write_and_recycle, 0, 2);
    tcase_add_test(tests, what_a_killed_process_recorded_is_all_there);
    return run_suite(suite);
}
