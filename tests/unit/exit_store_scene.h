/* An exit store with a loop and a ledger, and arenas of processes that ended. */
#ifndef TESTS_UNIT_EXIT_STORE_SCENE_H
#define TESTS_UNIT_EXIT_STORE_SCENE_H

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "daemon/memory/exit_store.h"

enum { CAPACITY = 64 * CHUNK_BYTES, MAIN = 0, LIMIT_UNITS = 64, END_NS = 1000000 };

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

static inline void keep_arena(int fd, intptr_t owner)
{
    ck_assert_int_eq(
        exit_store_keep(&store, fd, lease_of(owner), uv_hrtime(), on_kept, (void *)owner), 0);
}

/* Process NUMBER recorded BLOCKS and ended. */
static inline void end_process(intptr_t number, unsigned blocks)
{
    keep_arena(make_arena(blocks, number), number);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
}

static inline void expect_lease(uint64_t bytes)
{
    uint32_t units = (uint32_t)((bytes + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, LEASE_OWNER_EXITS), units + EXIT_LEASE_SPARE_UNITS);
    ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), units + EXIT_LEASE_SPARE_UNITS);
}

/* What a reader of RECORD finds. */
struct contents {
    unsigned blocks, records, dropped_blocks;
};

static inline struct contents read_record(const struct exit_record *record)
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

#endif
