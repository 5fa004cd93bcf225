#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "tests/unit/run_suite.h"

enum { CHUNKS = 8 };

static struct arena arena;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(CHUNKS * CHUNK_BYTES + 100, &arena), 0);
}

static void tear_down(void)
{
    arena_destroy(&arena);
}

START_TEST(the_header_describes_the_arena)
{
    const struct arena_header *header = arena.header;
    ck_assert_mem_eq(&header->magic, "RPFA1\0\0\0", 8);
    ck_assert_uint_eq(header->version, ARENA_VERSION);
    ck_assert_uint_eq(header->chunk_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(header->chunk_count, CHUNKS);
    ck_assert_uint_eq(header->dictionary_offset, ARENA_HEADER_BYTES);
    ck_assert_uint_eq(header->chunks_offset, ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES);
    ck_assert_uint_eq(header->total_bytes, header->chunks_offset + CHUNKS * CHUNK_BYTES);
    ck_assert_int_eq(header->process_id, getpid());
    ck_assert_int_eq(header->parent_process_id, getppid());
    ck_assert_uint_eq(header->generation, 0);
    ck_assert_uint_ne(header->first_pair.monotonic_ns, 0);
    ck_assert_ptr_eq((uint8_t *)arena_chunk(&arena, 3), arena.chunks + 3 * CHUNK_BYTES);
}
END_TEST

START_TEST(the_file_is_sealed_sparse_and_closed_on_exec)
{
    struct stat status;
    ck_assert_int_eq(ftruncate(arena.fd, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(ftruncate(arena.fd, 1 << 30), -1);
    ck_assert_int_eq(fcntl(arena.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    ck_assert_int_eq(fcntl(arena.fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(fstat(arena.fd, &status), 0);
    ck_assert_uint_eq((uint64_t)status.st_size, arena.header->total_bytes);
    ck_assert_int_le(status.st_blocks * 512, 2 * ARENA_HEADER_BYTES);
}
END_TEST

START_TEST(what_is_written_is_in_the_file)
{
    uint8_t byte = 0;
    arena.chunks[CHUNK_BYTES + 5] = 0x42;
    ck_assert_int_eq(
        pread(arena.fd, &byte, 1, (off_t)arena.header->chunks_offset + CHUNK_BYTES + 5), 1);
    ck_assert_uint_eq(byte, 0x42);
}
END_TEST

START_TEST(updating_the_clock_leaves_a_later_pair_and_an_even_sequence)
{
    struct arena_header *header = arena.header;
    uint64_t before_ns = header->latest_monotonic_ns, before_ticks = header->latest_ticks;
    uint32_t sequence = header->latest_sequence;
    arena_update_clock(&arena);
    ck_assert_uint_gt(header->latest_monotonic_ns, before_ns);
    ck_assert_uint_gt(header->latest_ticks, before_ticks);
    ck_assert_uint_eq(header->latest_sequence, sequence + 2);
    ck_assert_uint_eq(header->latest_sequence % 2, 0);
}
END_TEST

static void *update_clock_often(void *unused)
{
    for (int i = 0; i < 200000; i++)
        arena_update_clock(&arena);
    return unused;
}

START_TEST(threads_that_update_the_clock_together_leave_an_even_sequence)
{
    pthread_t other;
    uint32_t sequence = arena.header->latest_sequence;

    ck_assert_int_eq(pthread_create(&other, NULL, update_clock_often, NULL), 0);
    update_clock_often(NULL);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert_uint_eq(arena.header->latest_sequence % 2, 0);
    ck_assert_uint_ge(arena.header->latest_sequence, sequence + 2);
}
END_TEST

START_TEST(drops_are_counted_by_cause)
{
    arena_count_drop(&arena, DROP_LATE_SAMPLE, 2);
    arena_count_drop(&arena, DROP_LATE_SAMPLE, 3);
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++)
        ck_assert_uint_eq(arena.header->drops[cause], cause == DROP_LATE_SAMPLE ? 5 : 0);
}
END_TEST

/* The status of a child that ran BODY(context), as from waitpid. */
static int in_child(int (*body)(void *), void *context)
{
    int status = -1;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(body(context));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static int touch_header(void *context)
{
    (void)context;
    struct rlimit no_core = { 0, 0 };
    signal(SIGSEGV, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    return arena.header->version == ARENA_VERSION ? 0 : 1;
}

START_TEST(a_forked_child_has_no_mapping)
{
    int status = in_child(touch_header, NULL);
    ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}
END_TEST

static int abandon_beside_a_stranger(void *context)
{
    (void)context;
    int fd = arena.fd;
    char *stranger = mmap(arena.header, 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (stranger == MAP_FAILED)
        return 1;
    arena_abandon(&arena);
    stranger[0] = 1;
    return fcntl(fd, F_GETFD) == -1 && arena.fd == -1 ? 0 : 2;
}

START_TEST(abandoning_in_a_child_closes_and_unmaps_nothing)
{
    ck_assert_int_eq(in_child(abandon_beside_a_stranger, NULL), 0);
    ck_assert(arena_owns_fd(&arena));
}
END_TEST

START_TEST(a_descriptor_that_became_the_programs_is_not_closed)
{
    int fd = arena.fd;
    int other = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(dup2(other, fd), fd);
    close(other);
    ck_assert(!arena_owns_fd(&arena));
    arena_destroy(&arena);
    ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
    close(fd);
}
END_TEST

START_TEST(destroying_again_is_harmless)
{
    int fd = arena.fd;
    arena_destroy(&arena);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    arena_destroy(&arena);
    ck_assert_int_eq(arena.fd, -1);
}
END_TEST

START_TEST(impossible_capacities_are_refused)
{
    static const uint64_t capacities[] = { 0, CHUNK_BYTES - 1,
                                           (ARENA_MAX_CHUNKS + UINT64_C(1)) * CHUNK_BYTES,
                                           UINT64_MAX };
    struct arena other;
    ck_assert_int_eq(arena_create(capacities[_i], &other), -EINVAL);
    ck_assert_int_eq(other.fd, -1);
    arena_destroy(&other);
}
END_TEST

static const struct {
    rlim_t limit;
    int error;
    uint32_t chunks;
} file_limits[] = {
    { 0, -EFBIG, 0 },
    { ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES, -EFBIG, 0 },
    { ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + CHUNK_BYTES - 1, -EFBIG, 0 },
    { ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + CHUNK_BYTES, 0, 1 },
    { ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + 3 * CHUNK_BYTES + 1, 0, 3 },
    { ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + 100 * CHUNK_BYTES, 0, CHUNKS },
};

static int create_under_limit(void *context)
{
    int i = *(int *)context;
    struct rlimit limit = { file_limits[i].limit, file_limits[i].limit };
    struct arena small;
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (arena_create(CHUNKS * CHUNK_BYTES, &small) != file_limits[i].error)
        return 2;
    if (file_limits[i].error != 0)
        return 0;
    return small.header->chunk_count == file_limits[i].chunks ? 0 : 3;
}

START_TEST(a_file_size_limit_makes_it_smaller_and_never_kills)
{
    ck_assert_int_eq(in_child(create_under_limit, &_i), 0);
}
END_TEST

static int create_with_locked_memory(void *context)
{
    (void)context;
    struct arena locked;
    struct stat status;
    struct rlimit limit;
    if (mlockall(MCL_FUTURE) != 0)
        return 0; /* this machine does not let us */
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return 1;
    if (arena_create(1024 * CHUNK_BYTES, &locked) != 0)
        return limit.rlim_cur == RLIM_INFINITY ? 2 : 0;
    if (fstat(locked.fd, &status) != 0 || status.st_blocks * 512 > 4 * ARENA_HEADER_BYTES)
        return 3;
    return 0;
}

START_TEST(a_program_with_locked_memory_does_not_fill_it)
{
    ck_assert_int_eq(in_child(create_with_locked_memory, NULL), 0);
}
END_TEST

/* One that holds a block, of what would be the whole of a chunk. */
static struct chunk *fill_chunk(uint32_t slot, uint8_t byte)
{
    struct chunk *chunk = arena_chunk(&arena, slot);
    ck_assert_int_eq(chunk_move(chunk, CHUNK_FREE, CHUNK_IN_USE), 0);
    chunk_begin(chunk, 0, 1, slot * CHUNK_BUFFER_BYTES);
    for (uint32_t i = 0; i < CHUNK_BUFFER_BYTES; i++)
        chunk->buffer[i] = byte;
    chunk_publish(chunk, CHUNK_BUFFER_BYTES);
    atomic_store(&arena.header->chunk_high_water, slot + 1);
    return chunk;
}

static uint64_t bytes_in(int fd)
{
    struct stat status;
    ck_assert_int_eq(fstat(fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

START_TEST(another_file_has_the_same_at_the_same_addresses)
{
    uint8_t byte = 0;
    struct chunk *chunk = fill_chunk(2, 7);
    arena.dictionary[5] = 9;
    atomic_store(&arena.header->dictionary_used_bytes, 6);
    int old_fd = dup(arena.fd);
    close(arena.fd);
    ck_assert_int_eq(arena_replace_file(&arena), 0);
    ck_assert(arena_owns_fd(&arena));
    ck_assert_uint_eq(arena.dictionary[5], 9);
    ck_assert_uint_eq(chunk->state, CHUNK_IN_USE);
    ck_assert_uint_eq(chunk->buffer[CHUNK_BUFFER_BYTES - 1], 7);
    chunk->buffer[0] = 8;
    off_t offset = (off_t)((uint8_t *)chunk->buffer - (uint8_t *)arena.header);
    ck_assert_int_eq(pread(arena.fd, &byte, 1, offset), 1);
    ck_assert_uint_eq(byte, 8);
    ck_assert_uint_lt(bytes_in(old_fd), CHUNK_BYTES); /* nothing is there twice */
    close(old_fd);
}
END_TEST

START_TEST(a_file_that_may_not_be_so_long_is_not_tried)
{
    struct rlimit limit, low;
    struct chunk *chunk = fill_chunk(0, 7);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    low = (struct rlimit){ CHUNK_BYTES, limit.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &low), 0);
    ck_assert_int_eq(arena_replace_file(&arena), -EFBIG);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_uint_eq(chunk->buffer[0], 7);
    ck_assert(arena_owns_fd(&arena));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.arena");
    TCase *tests = tcase_create("arena");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_header_describes_the_arena);
    tcase_add_test(tests, the_file_is_sealed_sparse_and_closed_on_exec);
    tcase_add_test(tests, what_is_written_is_in_the_file);
    tcase_add_test(tests, updating_the_clock_leaves_a_later_pair_and_an_even_sequence);
    tcase_add_test(tests, threads_that_update_the_clock_together_leave_an_even_sequence);
    tcase_add_test(tests, drops_are_counted_by_cause);
    tcase_add_test(tests, a_forked_child_has_no_mapping);
    tcase_add_test(tests, abandoning_in_a_child_closes_and_unmaps_nothing);
    tcase_add_test(tests, a_descriptor_that_became_the_programs_is_not_closed);
    tcase_add_test(tests, destroying_again_is_harmless);
    tcase_add_loop_test(tests, impossible_capacities_are_refused, 0, 4);
    tcase_add_loop_test(tests, a_file_size_limit_makes_it_smaller_and_never_kills, 0,
                        sizeof(file_limits) / sizeof(file_limits[0]));
    tcase_add_test(tests, a_program_with_locked_memory_does_not_fill_it);
    tcase_add_test(tests, another_file_has_the_same_at_the_same_addresses);
    tcase_add_test(tests, a_file_that_may_not_be_so_long_is_not_tried);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
