/* daemon.exit_store, with the compact copies in it */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "daemon/memory/compact_arena.h"
#include "daemon/memory/exit_store.h"

enum { CAPACITY = 64 * CHUNK_BYTES, MAIN = 0, LIMIT_UNITS = 64, END_NS = 1000000 };
/* Markers of a kilobyte that fill a chunk. */
enum { BLOCKS_OF_A_CHUNK = 65 };

static uv_loop_t loop;
static struct exit_store store;
static struct exit_record *kept[8];
static struct lease_ledger ledger;
static struct memory_controller controller;
static int kept_count, kept_error, expired[8];
static struct block_account last_account; /* of what expired */

static void on_expired(void *owner, const struct block_account *account)
{
    expired[(intptr_t)owner]++;
    last_account = *account;
}

static void on_kept(struct exit_record *record, int error, void *owner)
{
    kept[(intptr_t)owner] = record;
    kept_error = error;
    kept_count++;
}

static void set_up(void)
{
    memset(kept, 0, sizeof(kept));
    memset(expired, 0, sizeof(expired));
    kept_count = kept_error = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
    memory_controller_init(&controller, UINT64_MAX, 1);
    exit_store_init(&store, &loop, &ledger, &controller, on_expired);
    exit_store_settle(&store);
}

static void tear_down(void)
{
    exit_store_destroy(&store);
    ck_assert_uint_eq(controller.source_count, 0);
    ck_assert_uint_eq(lease_count(&ledger, LEASE_OWNER_EXITS), EXIT_LEASE_SPARE_UNITS);
    memory_controller_fini(&controller);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* The lease of process NUMBER. */
static lease_owner lease_of(intptr_t number)
{
    return lease_owner_make(1000 + (pid_t)number, 1, false);
}

/* A descriptor of an arena of generation 1 with BLOCKS markers by the main thread and one thread
 * record, whose memory NUMBER has leased. */
static int make_arena(unsigned blocks, intptr_t number)
{
    struct arena arena;
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer writer;
    uint8_t entry[1000] = { ENTRY_TEXT_MARKER, 1, 1 };

    memset(entry + 3, 'x', sizeof(entry) - 3);
    const struct arena_room room = { CAPACITY, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, lease_of(number), &arena), 0);
    atomic_store(&arena.header->generation, 1);
    dictionary_init(&dictionary, &arena);
    ck_assert_int_eq(dictionary_put_thread(&dictionary, MAIN, getpid(), true, 1, "main"), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, CAPACITY, &manager), 0);
    chunk_writer_init(&writer, manager, MAIN);
    for (unsigned i = 0; i < blocks; i++) {
        if (!chunk_writer_has_room(&writer, sizeof(entry)))
            ck_assert_int_eq(chunk_writer_refill(&writer, sizeof(entry)), 0);
        ck_assert_int_eq(chunk_writer_put(&writer, entry, sizeof(entry)), 0);
    }
    chunk_writer_finish(&writer);
    chunk_manager_destroy(manager);
    int fd = dup(arena.fd);
    arena_destroy(&arena);
    return fd;
}

static void keep_arena(int fd, intptr_t owner)
{
    ck_assert_int_eq(
        exit_store_keep(&store, fd, lease_of(owner), uv_hrtime(), on_kept, (void *)owner), 0);
}

/* Process NUMBER recorded BLOCKS and ended. */
static void end_process(intptr_t number, unsigned blocks)
{
    keep_arena(make_arena(blocks, number), number);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
}

static void expect_lease(uint64_t bytes)
{
    uint32_t units = (uint32_t)((bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, LEASE_OWNER_EXITS), units + EXIT_LEASE_SPARE_UNITS);
    ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), units + EXIT_LEASE_SPARE_UNITS);
}

/* Drops what the controller chooses for a total of at most BYTES; returns how many chunks. */
static unsigned drop_down_to(uint64_t bytes)
{
    struct chunk_drop drop;
    unsigned count = 0;

    controller.target_bytes = bytes;
    for (; memory_controller_next_drop(&controller, 0, &drop); count++)
        exit_store_drop(&store, drop.source, drop.slot);
    exit_store_settle(&store);
    return count;
}

/* What a reader of RECORD finds. */
struct contents {
    unsigned blocks, records, dropped_blocks;
};

static struct contents read_record(const struct exit_record *record)
{
    static struct chunk_copy chunk;
    struct contents contents = { 0 };
    struct arena_reader *reader;
    struct arena_record found;

    void *memory = mmap(NULL, record->bytes, PROT_READ, MAP_SHARED, exit_store_fd(&store),
                        (off_t)record->offset);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert_int_eq(arena_reader_open_memory(memory, record->bytes, &reader), 0);
    while (arena_reader_next_record(reader, &found) == 1)
        contents.records++;
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &chunk), 0);
        contents.blocks += chunk.block_count;
    }
    struct arena_info info;
    arena_reader_info(reader, &info);
    contents.dropped_blocks = (unsigned)info.drops[DROP_RECYCLED];
    arena_reader_close(reader);
    munmap(memory, record->bytes);
    return contents;
}

START_TEST(readers_of_the_file_cannot_change_it)
{
    end_process(0, 5);
    int fd = exit_store_fd(&store);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    ck_assert_int_eq(ftruncate(fd, 0), -1);
    ck_assert_int_eq(pwrite(fd, "x", 1, 0), -1);
    ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
}
END_TEST

START_TEST(what_was_recorded_is_in_the_copy)
{
    keep_arena(make_arena(200, 0), 0);
    keep_arena(make_arena(3, 1), 1);
    ck_assert_int_eq(kept_count, 0); /* never from inside the call */
    uv_run(&loop, UV_RUN_DEFAULT);

    ck_assert_int_eq(kept_count, 2);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 200);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 3);
    ck_assert_uint_eq(store.records, 2);
    expect_lease(store.memory_bytes);
}
END_TEST

START_TEST(a_process_that_recorded_nothing_is_kept)
{
    end_process(0, 0);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 0);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
}
END_TEST

START_TEST(a_copy_is_much_smaller_than_the_room_in_the_arena)
{
    end_process(0, 3);
    ck_assert_uint_gt(store.memory_bytes, 3000);
    ck_assert_uint_lt(store.memory_bytes, 5 * 4096);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
}
END_TEST

START_TEST(what_was_moved_is_not_in_memory_twice)
{
    struct stat status;
    int fd = make_arena(1000, 0), watched = dup(fd);

    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(fstat(watched, &status), 0);
    ck_assert_int_le(status.st_blocks * 512, ARENA_HEADER_BYTES);
    close(watched);
}
END_TEST

/* All that is free is in the hands of others, and still there is room to move. */
START_TEST(moving_needs_no_free_unit)
{
    uint32_t unit;
    int fds[] = { make_arena(1000, 0), make_arena(1000, 1) };

    while (lease_take(&ledger, lease_of(7), LEASE_TO_START, &unit) == 0)
        ;
    for (intptr_t i = 0; i < 2; i++)
        keep_arena(fds[i], i);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 1000);
    ck_assert_uint_le(lease_ledger_recount(&ledger, NULL), LIMIT_UNITS);
    lease_move(&ledger, lease_of(7), LEASE_OWNER_NOBODY, UINT32_MAX);
    expect_lease(store.memory_bytes);
}
END_TEST

START_TEST(chunks_are_dropped_one_by_one_and_counted)
{
    end_process(0, 3 * BLOCKS_OF_A_CHUNK);
    uint64_t before = store.memory_bytes;
    ck_assert_uint_eq(drop_down_to(before - 1), 1);
    ck_assert_uint_eq(store.memory_bytes, before - CHUNK_BYTES);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
    expect_lease(store.memory_bytes);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 2 * BLOCKS_OF_A_CHUNK);
    ck_assert_uint_eq(read_record(kept[0]).dropped_blocks, BLOCKS_OF_A_CHUNK);
    ck_assert_int_eq(expired[0], 0);
}
END_TEST

START_TEST(a_profile_expires_with_its_last_chunk)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK);
    end_process(1, 1);
    drop_down_to(store.memory_bytes - 2 * CHUNK_BYTES);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_int_eq(expired[1], 0);
    ck_assert_uint_eq(store.records, 1);
    ck_assert_uint_eq(store.expired_records, 1);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
    expect_lease(store.memory_bytes);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 1);
}
END_TEST

/* Also of the chunk that its writer had not given back. */
START_TEST(what_expired_leaves_its_account)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK + 1);
    drop_down_to(0);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_uint_eq(last_account.produced_blocks, 2 * BLOCKS_OF_A_CHUNK + 1);
    ck_assert_uint_eq(last_account.dropped_blocks, last_account.produced_blocks);
    ck_assert_uint_eq(last_account.dropped_bytes, last_account.produced_bytes);
}
END_TEST

START_TEST(a_profile_without_chunks_expires_too)
{
    end_process(0, 0);
    end_process(1, 1);
    ck_assert_uint_eq(drop_down_to(store.memory_bytes - 1), 1);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_int_eq(expired[1], 0);
}
END_TEST

START_TEST(what_a_capture_reads_stays_whole)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK);
    exit_store_hold(&store, kept[0], true);
    ck_assert_uint_eq(drop_down_to(0), 0);
    exit_store_hold(&store, kept[0], false);
    drop_down_to(0);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_uint_eq(store.memory_bytes, 0);
}
END_TEST

START_TEST(many_that_end_at_once_wait_in_line)
{
    for (intptr_t i = 0; i < 8; i++)
        keep_arena(make_arena(100, i), i);
    ck_assert_uint_le(store.moving, EXIT_STORE_MOVERS);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_count, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(read_record(kept[i]).blocks, 100);
}
END_TEST

/* Its chunk claims to be full, and most of it is a hole: copied, it would take more than was
 * leased.
 */
START_TEST(an_arena_that_would_grow_is_not_kept)
{
    enum { CHUNKS = 40 };
    int fd = make_arena(1, 0);
    struct arena_header header;
    struct chunk chunk;

    ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
    ck_assert_int_eq(pread(fd, &chunk, sizeof(chunk), (off_t)header.chunks_offset), sizeof(chunk));
    atomic_store(&chunk.offset_past_last_block, CHUNK_BUFFER_BYTES);
    atomic_store(&header.chunk_high_water, CHUNKS);
    ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
    for (uint64_t i = 0; i < CHUNKS; i++)
        ck_assert_int_eq(
            pwrite(fd, &chunk, sizeof(chunk), (off_t)(header.chunks_offset + i * CHUNK_BYTES)),
            sizeof(chunk));
    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, -EFBIG);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), 0);
    expect_lease(0);
}
END_TEST

/* A process of before the ledger. */
START_TEST(without_a_lease_what_is_free_is_taken)
{
    uint32_t unit;
    int fds[] = { make_arena(100, 0), make_arena(100, 1) };

    for (intptr_t i = 0; i < 2; i++)
        lease_move(&ledger, lease_of(i), LEASE_OWNER_NOBODY, UINT32_MAX);
    keep_arena(fds[0], 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    expect_lease(store.memory_bytes);
    while (lease_take(&ledger, lease_of(7), LEASE_TO_START, &unit) == 0)
        ;
    keep_arena(fds[1], 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, -ENOSPC);
}
END_TEST

/* As valgrind does, by reading them. */
START_TEST(holes_that_were_filled_by_others_need_no_lease)
{
    int fd = make_arena(3, 0);
    struct stat status;

    ck_assert_int_eq(fstat(fd, &status), 0);
    ck_assert_int_gt(status.st_size, (off_t)LIMIT_UNITS * LEASE_UNIT_BYTES);
    ck_assert_int_eq(posix_fallocate(fd, 0, status.st_size), 0);
    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 3);
    expect_lease(store.memory_bytes);
}
END_TEST

START_TEST(a_late_copy_does_not_land_in_the_next_session)
{
    keep_arena(make_arena(1, 0), 0);
    exit_store_clear(&store);
    keep_arena(make_arena(2, 1), 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_ptr_null(kept[0]);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 2);
    ck_assert_uint_eq(store.records, 1);
    ck_assert_uint_eq(store.failed_records, 0);
}
END_TEST

START_TEST(what_is_no_arena_is_refused)
{
    int fd = memfd_create("none", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    ck_assert_int_eq(exit_store_keep(&store, fd, lease_of(0), END_NS, on_kept, NULL), -EPROTO);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1); /* it was taken over */
    ck_assert_uint_eq(store.failed_records, 1);
}
END_TEST

/* A true arena's bytes in FD, which is no sealed file of memory. */
static void refuses_arena_in(int fd)
{
    static char bytes[1 << 16];
    int arena_fd = make_arena(1, 0);
    struct compact_plan plan;
    struct stat status;

    ck_assert_int_eq(fstat(arena_fd, &status), 0);
    ck_assert_int_eq(pread(arena_fd, bytes, sizeof(bytes), 0), sizeof(bytes));
    ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
    ck_assert_int_eq(ftruncate(fd, status.st_size), 0);
    ck_assert_int_eq(compact_plan_read(fd, &plan), -EPROTO);
    close(arena_fd);
    close(fd);
}

START_TEST(an_arena_that_can_shrink_or_block_is_refused)
{
    refuses_arena_in(memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    refuses_arena_in(open("/proc/self/cwd", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}
END_TEST

/* Headers that lie. */
static const struct {
    const char *name;
    size_t offset, bytes;
    uint64_t value;
    int expect; /* at once */
    int kept;   /* later */
} lies[] = {
#define FIELD(field, value, expect, kept)                                                          \
    {                                                                                              \
#field, offsetof(struct arena_header, field), sizeof(((struct arena_header *)0)->field),   \
            value, expect, kept                                                                    \
    }
    FIELD(magic, 1, -EPROTO, 0),
    FIELD(version, 99, -EPROTO, 0),
    FIELD(chunk_bytes, 4096, -EPROTO, 0),
    FIELD(dictionary_offset, 0, -EPROTO, 0),
    FIELD(dictionary_bytes, UINT32_MAX, -EPROTO, 0),
    FIELD(chunks_offset, UINT64_MAX, -EPROTO, 0),
    FIELD(chunks_offset, 1ULL << 40, -EPROTO, 0),
    FIELD(chunk_count, UINT32_MAX, -EPROTO, 0),
    FIELD(chunk_high_water, UINT64_MAX, 0, 0),
    FIELD(dictionary_used_bytes, UINT32_MAX, 0, -EFBIG),
};

START_TEST(a_header_that_lies_harms_nobody)
{
    int fd = make_arena(2, 0);
    ck_assert_int_eq(
        pwrite(fd, &lies[_i].value, lies[_i].bytes, (off_t)lies[_i].offset) < 0 ? -errno : 0, 0);
    int error = exit_store_keep(&store, fd, lease_of(0), END_NS, on_kept, NULL);
    ck_assert_msg(error == lies[_i].expect, "%s: %d", lies[_i].name, error);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, lies[_i].kept);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exit_store");
    TCase *exits = tcase_create("exits");
    tcase_add_checked_fixture(exits, set_up, tear_down);
    tcase_add_test(exits, readers_of_the_file_cannot_change_it);
    tcase_add_test(exits, what_was_recorded_is_in_the_copy);
    tcase_add_test(exits, a_process_that_recorded_nothing_is_kept);
    tcase_add_test(exits, a_copy_is_much_smaller_than_the_room_in_the_arena);
    tcase_add_test(exits, what_was_moved_is_not_in_memory_twice);
    tcase_add_test(exits, moving_needs_no_free_unit);
    tcase_add_test(exits, chunks_are_dropped_one_by_one_and_counted);
    tcase_add_test(exits, a_profile_expires_with_its_last_chunk);
    tcase_add_test(exits, what_expired_leaves_its_account);
    tcase_add_test(exits, a_profile_without_chunks_expires_too);
    tcase_add_test(exits, what_a_capture_reads_stays_whole);
    tcase_add_test(exits, many_that_end_at_once_wait_in_line);
    tcase_add_test(exits, an_arena_that_would_grow_is_not_kept);
    tcase_add_test(exits, without_a_lease_what_is_free_is_taken);
    tcase_add_test(exits, holes_that_were_filled_by_others_need_no_lease);
    tcase_add_test(exits, a_late_copy_does_not_land_in_the_next_session);
    tcase_add_test(exits, what_is_no_arena_is_refused);
    tcase_add_test(exits, an_arena_that_can_shrink_or_block_is_refused);
    tcase_add_loop_test(exits, a_header_that_lies_harms_nobody, 0,
                        (int)(sizeof(lies) / sizeof(lies[0])));
    suite_add_tcase(suite, exits);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
