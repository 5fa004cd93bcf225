/* buffer.census_ring */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "buffer/process_clock.h"
#include "tests/unit/run_suite.h"

static struct census_ring *ring;

static void set_up(void)
{
    ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(ring, MAP_FAILED);
}

static void tear_down(void)
{
    munmap(ring, sizeof(*ring));
}

static bool is_awaited;

static void put_end(int32_t pid)
{
    struct census_entry entry = { .kind = CENSUS_ENDED, .pid = pid, .time_ns = 7, .cpu_ns = 8 };
    census_ring_put(ring, &entry);
}

static void put_entry(int32_t pid, uint32_t kind, uint64_t cpu_ns)
{
    const struct census_entry entry = { .kind = kind, .pid = pid, .cpu_ns = cpu_ns };
    census_ring_put(ring, &entry);
}

START_TEST(who_became_a_program_finds_its_clock)
{
    struct census_entry got;
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 1, &is_awaited), PROCESS_CLOCK_UNKNOWN);
    put_entry(1, CENSUS_EXEC, 10);
    put_entry(2, CENSUS_EXEC, 20);
    put_entry(1, CENSUS_PRESENT, PROCESS_CLOCK_UNKNOWN);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 1, &is_awaited), 10);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 2, &is_awaited), 20);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 3, &is_awaited), PROCESS_CLOCK_UNKNOWN);
    put_entry(1, CENSUS_EXEC, 30);
    while (census_ring_take(ring, &got)) /* what profd has read stays for a while */
        ;
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 1, &is_awaited), 30);
    put_entry(2, CENSUS_FAILED, 21);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 2, &is_awaited), PROCESS_CLOCK_UNKNOWN);
    for (int i = 0; i < 100; i++)
        put_end(4);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 1, &is_awaited), PROCESS_CLOCK_UNKNOWN);
}
END_TEST

START_TEST(who_is_awaited_knows_it)
{
    const struct census_entry awaited = { .kind = CENSUS_EXEC, .pid = 1, .is_awaited = true };
    put_entry(1, CENSUS_EXEC, 10);
    (void)census_ring_clock_at_exec(ring, 1, &is_awaited);
    ck_assert(!is_awaited);
    census_ring_put(ring, &awaited);
    (void)census_ring_clock_at_exec(ring, 1, &is_awaited);
    ck_assert(is_awaited);
    (void)census_ring_clock_at_exec(ring, 2, &is_awaited);
    ck_assert(!is_awaited);
}
END_TEST

START_TEST(who_became_a_program_in_another_pid_namespace_finds_its_clock)
{
    enum { THEIRS = 77 };
    const struct census_entry entry = census_ring_foreign_exec(1, THEIRS, 40);
    put_entry(1, CENSUS_EXEC, 10);
    census_ring_put(ring, &entry);
    ck_assert_uint_eq(census_ring_clock_at_exec(ring, 1, &is_awaited), 10);
    ck_assert_uint_eq(census_ring_clock_at_foreign_exec(ring, 1, THEIRS), 40);
    ck_assert_uint_eq(census_ring_clock_at_foreign_exec(ring, 2, THEIRS), PROCESS_CLOCK_UNKNOWN);
    ck_assert_uint_eq(census_ring_clock_at_foreign_exec(ring, 1, THEIRS + 1),
                      PROCESS_CLOCK_UNKNOWN);
}
END_TEST

START_TEST(what_could_not_be_told_is_counted)
{
    census_ring_count_lost(ring);
    census_ring_count_lost(ring);
    ck_assert_uint_eq(census_ring_take_lost(ring), 2);
    ck_assert_uint_eq(census_ring_take_lost(ring), 0);
}
END_TEST

START_TEST(what_was_taken_can_be_recalled_until_it_is_overwritten)
{
    struct census_entry *recalled = calloc(CENSUS_RING_ENTRIES, sizeof(*recalled)), got;

    ck_assert_ptr_nonnull(recalled);
    ck_assert_uint_eq(census_ring_recall(ring, recalled), 0);
    for (int32_t pid = 1; pid <= 3; pid++)
        put_end(pid);
    ck_assert(census_ring_take(ring, &got));
    ck_assert(census_ring_take(ring, &got));
    ck_assert_uint_eq(census_ring_recall(ring, recalled), 2); /* the third is unread */
    ck_assert_int_eq(recalled[0].pid, 1);
    ck_assert_int_eq(recalled[1].pid, 2);
    ck_assert(census_ring_take(ring, &got));
    for (int32_t pid = 4; pid <= CENSUS_RING_ENTRIES + 2; pid++)
        put_end(pid);
    ck_assert_uint_eq(census_ring_recall(ring, recalled), 1);
    ck_assert_int_eq(recalled[0].pid, 3);
    free(recalled);
}
END_TEST

START_TEST(what_can_be_told_in_another_way_leaves_half_of_the_room)
{
    const struct census_entry entry = { .kind = CENSUS_PRESENT, .pid = 1 };
    struct census_entry got;
    for (int i = 0; i < CENSUS_RING_ENTRIES / 2; i++)
        ck_assert(census_ring_put_if_roomy(ring, &entry));
    ck_assert(!census_ring_put_if_roomy(ring, &entry));
    ck_assert_uint_eq(census_ring_take_lost(ring), 0);
    census_ring_put(ring, &entry);
    for (int i = 0; i < 2; i++)
        ck_assert(census_ring_take(ring, &got));
    ck_assert(census_ring_put_if_roomy(ring, &entry));
}
END_TEST

/* What a present one with PATH and this command line tells of it. */
static size_t told_of(const char *path, const char *command_line, size_t bytes, char *out)
{
    struct census_entry entry = { .kind = CENSUS_PRESENT }, got;

    census_ring_set_path(&entry, path);
    census_ring_set_command_line(&entry, command_line, bytes);
    census_ring_put(ring, &entry);
    ck_assert(census_ring_take(ring, &got));
    ck_assert_str_eq(got.path, path);
    const char *told = census_ring_command_line(&got, &bytes);
    memcpy(out, told, bytes);
    return bytes;
}

START_TEST(a_command_line_is_told_as_far_as_there_is_room)
{
    static const char short_line[] = "cc\0-c\0\0x.c", empty_end[] = "cc\0";
    char long_line[CENSUS_PATH_BYTES + 50], path[CENSUS_PATH_BYTES], out[CENSUS_PATH_BYTES];

    ck_assert_uint_eq(told_of("/bin/cc", short_line, sizeof(short_line) - 1, out), 10);
    ck_assert_mem_eq(out, short_line, 10);
    ck_assert_uint_eq(told_of("/bin/cc", empty_end, sizeof(empty_end) - 1, out), 2);
    ck_assert_uint_eq(told_of("/bin/cc", "", 0, out), 0);

    memset(long_line, 'x', sizeof(long_line));
    ck_assert_uint_eq(told_of("/bin/cc", long_line, sizeof(long_line), out), 0);
    long_line[2] = '\0';
    ck_assert_uint_eq(told_of("/bin/cc", long_line, sizeof(long_line), out),
                      CENSUS_PATH_BYTES - sizeof("/bin/cc"));
    ck_assert_mem_eq(out, long_line, CENSUS_PATH_BYTES - sizeof("/bin/cc"));

    memset(path, 'p', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    ck_assert_uint_eq(told_of(path, "cc", 2, out), 0);
}
END_TEST

START_TEST(an_entry_is_taken_once_as_it_was_put)
{
    struct census_entry entry = { .kind = CENSUS_EXEC,
                                  .pid = 10,
                                  .parent_pid = 9,
                                  .time_ns = 100,
                                  .cpu_ns = 5,
                                  .wait_status = 3 << 8,
                                  .obstacle = 6 },
                        out;
    census_ring_set_path(&entry, "/bin/true");
    census_ring_put(ring, &entry);

    ck_assert(census_ring_take(ring, &out));
    ck_assert_int_eq(out.kind, CENSUS_EXEC);
    ck_assert_int_eq(out.pid, 10);
    ck_assert_int_eq(out.parent_pid, 9);
    ck_assert_uint_eq(out.time_ns, 100);
    ck_assert_uint_eq(out.cpu_ns, 5);
    ck_assert_int_eq(out.wait_status, 3 << 8);
    ck_assert_uint_eq(out.obstacle, 6);
    ck_assert_str_eq(out.path, "/bin/true");
    ck_assert(!census_ring_take(ring, &out));
}
END_TEST

START_TEST(a_long_path_keeps_its_end)
{
    struct census_entry entry;
    char path[1000];

    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    strcpy(path + sizeof(path) - 5, "/end");
    census_ring_set_path(&entry, path);
    ck_assert_uint_eq(strlen(entry.path), sizeof(entry.path) - 1);
    ck_assert_str_eq(entry.path + strlen(entry.path) - 4, "/end");
}
END_TEST

START_TEST(what_has_no_room_is_counted)
{
    struct census_entry out;

    for (int i = 0; i < CENSUS_RING_ENTRIES + 3; i++)
        put_end(i + 1);
    ck_assert_uint_eq(census_ring_take_lost(ring), 3);
    ck_assert_uint_eq(census_ring_take_lost(ring), 0);
    for (int i = 0; i < CENSUS_RING_ENTRIES; i++) {
        ck_assert(census_ring_take(ring, &out));
        ck_assert_int_eq(out.pid, i + 1);
    }
    put_end(4711);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_int_eq(out.pid, 4711);
}
END_TEST

START_TEST(who_dies_over_an_entry_loses_only_that)
{
    struct census_entry out;

    put_end(1);
    atomic_fetch_add(&ring->put, 1); /* as if it were being written */
    put_end(3);
    ck_assert_uint_eq(census_ring_unfinished(ring), 0);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_uint_eq(census_ring_unfinished(ring), 2);
    ck_assert(!census_ring_take(ring, &out));
    census_ring_skip(ring);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_int_eq(out.pid, 3);
    ck_assert_uint_eq(census_ring_take_lost(ring), 1);
}
END_TEST

START_TEST(numbers_that_make_no_sense_are_put_right)
{
    struct census_entry out;

    atomic_store(&ring->put, 12345678);
    ck_assert(!census_ring_take(ring, &out));
    put_end(5);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_int_eq(out.pid, 5);

    atomic_store(&ring->put, 0); /* behind the reader */
    ck_assert(!census_ring_take(ring, &out));
    put_end(6);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_int_eq(out.pid, 6);
}
END_TEST

START_TEST(a_path_that_is_not_terminated_is)
{
    struct census_entry entry = { .kind = CENSUS_EXEC, .pid = 1 }, out;

    memset(entry.path, 'x', sizeof(entry.path));
    census_ring_put(ring, &entry);
    ck_assert(census_ring_take(ring, &out));
    ck_assert_uint_eq(strlen(out.path), sizeof(out.path) - 1);
}
END_TEST

enum { WRITERS = 4, EACH = 20000 };

/* Several processes put while this one takes: each entry once, each writer's in order. */
START_TEST(writers_of_many_processes_are_all_heard)
{
    int32_t latest[WRITERS + 1] = { 0 };
    struct census_entry out;
    uint64_t taken = 0;

    for (int writer = 1; writer <= WRITERS; writer++) {
        if (fork() != 0)
            continue;
        for (int i = 1; i <= EACH; i++) {
            struct census_entry entry = { .kind = CENSUS_ENDED, .pid = writer, .parent_pid = i };
            census_ring_put(ring, &entry);
        }
        _exit(0);
    }
    int left = WRITERS;
    while (left > 0 || census_ring_unfinished(ring) != 0 ||
           atomic_load(&ring->put) != atomic_load(&ring->taken)) {
        while (left > 0 && waitpid(-1, NULL, WNOHANG) > 0)
            left--;
        while (census_ring_take(ring, &out)) {
            ck_assert(out.pid >= 1 && out.pid <= WRITERS);
            ck_assert_int_gt(out.parent_pid, latest[out.pid]);
            latest[out.pid] = out.parent_pid;
            taken++;
        }
    }
    ck_assert_uint_eq(taken + census_ring_take_lost(ring), WRITERS * EACH);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.census_ring");
    TCase *tests = tcase_create("ring");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, what_was_taken_can_be_recalled_until_it_is_overwritten);
    tcase_add_test(tests, what_can_be_told_in_another_way_leaves_half_of_the_room);
    tcase_add_test(tests, a_command_line_is_told_as_far_as_there_is_room);
    tcase_add_test(tests, an_entry_is_taken_once_as_it_was_put);
    tcase_add_test(tests, who_became_a_program_finds_its_clock);
    tcase_add_test(tests, who_is_awaited_knows_it);
    tcase_add_test(tests, who_became_a_program_in_another_pid_namespace_finds_its_clock);
    tcase_add_test(tests, what_could_not_be_told_is_counted);
    tcase_add_test(tests, a_long_path_keeps_its_end);
    tcase_add_test(tests, what_has_no_room_is_counted);
    tcase_add_test(tests, who_dies_over_an_entry_loses_only_that);
    tcase_add_test(tests, numbers_that_make_no_sense_are_put_right);
    tcase_add_test(tests, a_path_that_is_not_terminated_is);
    tcase_add_test(tests, writers_of_many_processes_are_all_heard);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
