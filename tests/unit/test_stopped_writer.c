/* buffer.chunk_manager and buffer.arena_reader: a process that is stopped at any instruction of
 * what gives chunks out, takes them back, recycles them and refuses blocks. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_writer.h"
#include "tests/unit/run_suite.h"

enum {
    SLOTS = 4,
    GENERATION = 5,
    LIMIT_CHUNKS = 2,
    CHUNKS = 4,
    BLOCKS_PER_CHUNK = 3,
    ARENA_FD = 100, /* of the writer */
    FEWEST_CHANGES = 50,
};

/* What an account is made from, as it was at one step. */
struct stock {
    uint8_t header[sizeof(struct arena_header)];
    uint8_t chunks[SLOTS][CHUNK_HEADER_BYTES];
};

static struct stock stock;
static struct chunk_copy copy;
static pid_t writer_pid;
static int arena_fd;
static uint64_t chunks_offset;

/* --- The writer, a process of its own --- */

static void put_blocks(struct chunk_writer *writer, int expected)
{
    static const uint8_t entry[] = { 1, 2, 3 };
    for (int i = 0; i < BLOCKS_PER_CHUNK; i++) {
        if (chunk_writer_put(writer, entry, sizeof(entry)) != expected)
            _exit(2);
    }
}

static void write_chunks(struct chunk_manager *manager)
{
    struct chunk_writer first, second, third;
    chunk_writer_init(&first, manager, 1);
    chunk_writer_init(&second, manager, 2);
    chunk_writer_init(&third, manager, 3);
    put_blocks(&first, 0); /* which stays in use */
    for (int i = 0; i < CHUNKS; i++) {
        put_blocks(&second, 0);
        if (i == 0)
            put_blocks(&third, -ENOBUFS);
        chunk_writer_finish(&second);
    }
    chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
}

static void run_writer(void)
{
    struct arena arena;
    struct chunk_manager *manager;
    if (arena_create(SLOTS * CHUNK_BYTES, &arena) != 0 ||
        chunk_manager_create(&arena, GENERATION, LIMIT_CHUNKS * CHUNK_BYTES, &manager) != 0 ||
        dup2(arena.fd, ARENA_FD) < 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 ||
        raise(SIGSTOP) != 0)
        _exit(1);
    write_chunks(manager);
    _exit(0);
}

/* --- Its tracer --- */

static void start_writer(void)
{
    char path[64];
    int status;
    writer_pid = fork();
    ck_assert_int_ge(writer_pid, 0);
    if (writer_pid == 0)
        run_writer();
    ck_assert_int_eq(waitpid(writer_pid, &status, 0), writer_pid);
    ck_assert(WIFSTOPPED(status));
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", writer_pid, ARENA_FD);
    arena_fd = open(path, O_RDWR);
    ck_assert_int_ge(arena_fd, 0);
    struct arena_header header;
    ck_assert_int_eq(pread(arena_fd, &header, sizeof(header), 0), sizeof(header));
    chunks_offset = header.chunks_offset;
}

/* Lets the writer do one instruction. Returns false when it ended. */
static bool make_step(void)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, writer_pid, NULL, NULL) != 0 ||
        waitpid(writer_pid, &status, 0) != writer_pid)
        ck_abort_msg("the writer cannot be traced");
    bool has_ended = WIFEXITED(status);
    if (has_ended ? status != 0 : !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        ck_abort_msg("the writer ended or was stopped with status %#x", status);
    return !has_ended;
}

static void take_stock(struct stock *out)
{
    bool is_read = pread(arena_fd, out->header, sizeof(out->header), 0) > 0;
    for (uint32_t slot = 0; slot < SLOTS && is_read; slot++)
        is_read = pread(arena_fd, out->chunks[slot], CHUNK_HEADER_BYTES,
                        (off_t)(chunks_offset + slot * CHUNK_BYTES)) > 0;
    if (!is_read)
        ck_abort_msg("the arena cannot be read");
}

/* Whether the memory is another one than at the step before. */
static bool has_stock_changed(void)
{
    const struct stock before = stock;
    take_stock(&stock);
    return memcmp(&stock, &before, sizeof(stock)) != 0;
}

static void read_account(struct arena_info *account)
{
    struct arena_reader *reader;
    ck_assert_int_eq(arena_reader_open(arena_fd, &reader), 0);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++)
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
    arena_reader_info(reader, account);
    arena_reader_close(reader);
}

static void adds_up(int step)
{
    struct arena_info account;
    uint64_t blocks = 0, bytes = 0;
    read_account(&account);
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        blocks += account.drops[cause];
        bytes += account.drop_bytes[cause];
    }
    ck_assert_msg(account.produced_blocks == account.kept_blocks + blocks &&
                      account.produced_bytes == account.kept_bytes + bytes,
                  "after %d instructions: produced %lu blocks, %lu bytes, kept %lu, %lu, dropped "
                  "%lu, %lu",
                  step, account.produced_blocks, account.produced_bytes, account.kept_blocks,
                  account.kept_bytes, blocks, bytes);
}

/* With a chunk that stays in use, those that were given back, and the refused blocks. */
static void ends_with_all_counted(void)
{
    struct arena_header header;
    struct arena_info account;
    ck_assert_int_eq(pread(arena_fd, &header, sizeof(header), 0), sizeof(header));
    ck_assert_uint_eq(header.is_chunk_moving, 0);
    read_account(&account);
    ck_assert_uint_eq(account.produced_blocks, (CHUNKS + 2) * BLOCKS_PER_CHUNK);
    ck_assert_uint_eq(account.kept_blocks, BLOCKS_PER_CHUNK);
    ck_assert_uint_eq(account.drops[DROP_RECYCLED], CHUNKS * BLOCKS_PER_CHUNK);
    ck_assert_uint_eq(account.drops[DROP_MEMORY_LIMIT], BLOCKS_PER_CHUNK);
}

START_TEST(at_each_instruction_what_was_produced_is_kept_or_dropped)
{
    int step = 0, changes = 0;
    start_writer();
    for (take_stock(&stock); make_step(); step++) {
        if (!has_stock_changed())
            continue;
        adds_up(step);
        changes++;
    }
    ck_assert_int_gt(changes, FEWEST_CHANGES);
    adds_up(step);
    ends_with_all_counted();
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.stopped_writer");

    TCase *tests = tcase_create("account");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, at_each_instruction_what_was_produced_is_kept_or_dropped);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
