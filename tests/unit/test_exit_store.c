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
#include "daemon/compact_arena.h"
#include "daemon/exit_store.h"

enum { CAPACITY = 64 * CHUNK_BYTES, MAIN = 0 };

static uv_loop_t loop;
static struct exit_store store;
static struct exit_record *kept[8];
static int kept_count, kept_error, dropped[8];

static void on_dropped(void *owner)
{
    dropped[(intptr_t)owner]++;
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
    memset(dropped, 0, sizeof(dropped));
    kept_count = kept_error = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    exit_store_init(&store, &loop, 1ULL << 30, on_dropped);
}

static void tear_down(void)
{
    exit_store_destroy(&store);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* A descriptor of an arena of generation 1 with BLOCKS markers by the main thread and one thread
 * record. */
static int make_arena(unsigned blocks)
{
    struct arena arena;
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer writer;
    uint8_t entry[1000] = { ENTRY_TEXT_MARKER, 1, 1 };

    memset(entry + 3, 'x', sizeof(entry) - 3);
    ck_assert_int_eq(arena_create(CAPACITY, &arena), 0);
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

static void keep(int fd, intptr_t owner)
{
    ck_assert_int_eq(exit_store_keep(&store, fd, on_kept, (void *)owner), 0);
}

/* What a reader of RECORD finds. */
struct contents {
    unsigned blocks, records;
};

static struct contents read_record(const struct exit_record *record)
{
    static struct chunk_copy chunk;
    struct contents contents = { 0 };
    struct arena_reader *reader;
    struct arena_record found;

    void *memory =
        mmap(NULL, record->bytes, PROT_READ, MAP_SHARED, store.fd, (off_t)record->offset);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert_int_eq(arena_reader_open_memory(memory, record->bytes, &reader), 0);
    while (arena_reader_next_record(reader, &found) == 1)
        contents.records++;
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &chunk), 0);
        contents.blocks += chunk.block_count;
    }
    arena_reader_close(reader);
    munmap(memory, record->bytes);
    return contents;
}

START_TEST(what_was_recorded_is_in_the_copy)
{
    keep(make_arena(200), 0);
    keep(make_arena(3), 1);
    ck_assert_int_eq(kept_count, 0); /* never from inside the call */
    uv_run(&loop, UV_RUN_DEFAULT);

    ck_assert_int_eq(kept_count, 2);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 200);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 3);
    ck_assert_uint_eq(store.records, 2);
}
END_TEST

START_TEST(a_process_that_recorded_nothing_is_kept)
{
    keep(make_arena(0), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 0);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
}
END_TEST

START_TEST(a_copy_is_much_smaller_than_the_room_in_the_arena)
{
    keep(make_arena(3), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_gt(store.memory_bytes, 3000);
    ck_assert_uint_lt(store.memory_bytes, 5 * 4096);
}
END_TEST

START_TEST(the_oldest_makes_room_for_the_newest)
{
    store.record_limit = 2;
    for (intptr_t i = 0; i < 4; i++) {
        keep(make_arena(1), i);
        uv_run(&loop, UV_RUN_DEFAULT);
    }
    ck_assert_int_eq(dropped[0] + dropped[1], 2);
    ck_assert_int_eq(dropped[2] + dropped[3], 0);
    ck_assert_uint_eq(store.records, 2);
    ck_assert_uint_eq(store.dropped_records, 2);
    ck_assert_uint_eq(read_record(kept[3]).blocks, 1);
}
END_TEST

START_TEST(bytes_are_limited_too)
{
    store.memory_limit_bytes = 100 * 1024;
    keep(make_arena(60), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    keep(make_arena(60), 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(dropped[0], 1);
    ck_assert_int_eq(dropped[1], 0);
    ck_assert_uint_le(store.memory_bytes, store.memory_limit_bytes);
}
END_TEST

START_TEST(nothing_is_dropped_while_a_capture_reads)
{
    store.record_limit = 1;
    exit_store_pin(&store);
    keep(make_arena(1), 0);
    keep(make_arena(1), 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(store.records, 2);
    exit_store_unpin(&store);
    ck_assert_uint_eq(store.records, 1);
    ck_assert_int_eq(dropped[0] + dropped[1], 1);
}
END_TEST

START_TEST(a_late_copy_does_not_land_in_the_next_session)
{
    keep(make_arena(1), 0);
    exit_store_clear(&store);
    keep(make_arena(2), 1);
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
    ck_assert_int_eq(exit_store_keep(&store, fd, on_kept, NULL), -EPROTO);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1); /* it was taken over */
    ck_assert_uint_eq(store.failed_records, 1);
}
END_TEST

/* A true arena's bytes in FD, which is no sealed file of memory. */
static void refuses_arena_in(int fd)
{
    static char bytes[1 << 16];
    int arena_fd = make_arena(1);
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
    int expect;
} lies[] = {
#define FIELD(field, value, expect)                                                                \
    {                                                                                              \
#field, offsetof(struct arena_header, field), sizeof(((struct arena_header *)0)->field),   \
            value, expect                                                                          \
    }
    FIELD(magic, 1, -EPROTO),
    FIELD(version, 99, -EPROTO),
    FIELD(chunk_bytes, 4096, -EPROTO),
    FIELD(dictionary_offset, 0, -EPROTO),
    FIELD(dictionary_bytes, UINT32_MAX, -EPROTO),
    FIELD(chunks_offset, UINT64_MAX, -EPROTO),
    FIELD(chunks_offset, 1ULL << 40, -EPROTO),
    FIELD(chunk_count, UINT32_MAX, -EPROTO),
    FIELD(chunk_high_water, UINT64_MAX, 0),
    FIELD(dictionary_used_bytes, UINT32_MAX, 0),
};

START_TEST(a_header_that_lies_harms_nobody)
{
    int fd = make_arena(2);
    ck_assert_int_eq(
        pwrite(fd, &lies[_i].value, lies[_i].bytes, (off_t)lies[_i].offset) < 0 ? -errno : 0, 0);
    int error = exit_store_keep(&store, fd, on_kept, NULL);
    ck_assert_msg(error == lies[_i].expect, "%s: %d", lies[_i].name, error);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exit_store");
    TCase *exits = tcase_create("exits");
    tcase_add_checked_fixture(exits, set_up, tear_down);
    tcase_add_test(exits, what_was_recorded_is_in_the_copy);
    tcase_add_test(exits, a_process_that_recorded_nothing_is_kept);
    tcase_add_test(exits, a_copy_is_much_smaller_than_the_room_in_the_arena);
    tcase_add_test(exits, the_oldest_makes_room_for_the_newest);
    tcase_add_test(exits, bytes_are_limited_too);
    tcase_add_test(exits, nothing_is_dropped_while_a_capture_reads);
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
