#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/group_reader.h"
#include "buffer/group_table_writer.h"
#include "daemon/children/pidfd.h"
#include "daemon/groups/group_tables.h"
#include "json/gecko/gecko_process.h"
#include "tests/unit/run_suite.h"

enum { MAX_BYTES = 4096 };

static struct arena arena;
static struct group_book book;

static void set_up(void)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
}

static void tear_down(void)
{
    group_book_clear(&book);
    arena_destroy(&arena);
}

static void add_group(const char *name)
{
    const struct group_identity identity = { .kind = "tenant", .name = name };
    struct group_record *record;
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = 7 });
}

static struct group_part *read_part(int32_t pid)
{
    const struct group_owner owner = {
        .name = "web server", .pid = pid, .start_ns = 3, .end_ns = 9, .verdict = VERDICT_VANISHED
    };
    struct group_part *part;
    ck_assert_int_eq(group_part_read(arena.fd, &owner, &part), 0);
    return part;
}

static size_t parts_in_book(void)
{
    size_t count = 0;
    for (const struct group_part *part = book.latest; part != NULL; part = part->next)
        count++;
    return count;
}

START_TEST(a_part_is_what_a_snapshot_has)
{
    add_group("blue");
    add_group("red");
    struct group_part *part = read_part(17);
    _Alignas(uint64_t) uint8_t memory[MAX_BYTES];
    const struct group_snapshot_head head = { .magic = GROUP_SNAPSHOT_MAGIC };
    memcpy(memory, &head, sizeof(head));
    memcpy(memory + sizeof(head), &part->process, part->process.bytes);
    struct group_snapshot_reader reader = { .memory = memory,
                                            .bytes = sizeof(head) + part->process.bytes };
    struct group_snapshot_head read_head;
    struct group_snapshot_view view;
    ck_assert(group_snapshot_open(&reader, &read_head));
    ck_assert(group_snapshot_next(&reader, &view));
    ck_assert_int_eq(view.process->pid, 17);
    ck_assert_uint_eq(view.process->end_ns, 9);
    ck_assert_int_eq(strncmp(view.name, "web server", view.process->name_bytes), 0);
    struct group_reader groups = { .memory = view.table, .bytes = view.process->table_bytes };
    struct group_view group;
    ck_assert(group_reader_next(&groups, &group));
    ck_assert(group_reader_next(&groups, &group));
    ck_assert_uint_eq(group.costs.cpu_ns, 7);
    ck_assert(!group_reader_next(&groups, &group));
    ck_assert(!group_snapshot_next(&reader, &view));
    free(part);
}
END_TEST

START_TEST(who_measured_nothing_has_no_part)
{
    ck_assert_ptr_null(read_part(17));
}
END_TEST

START_TEST(numbers_that_lie_make_no_part)
{
    struct group_part *part;
    add_group("blue");
    atomic_store(&arena.header->groups.used_bytes, UINT64_MAX);
    ck_assert_ptr_null(read_part(17));
    atomic_store(&arena.header->groups.used_bytes, 257);
    part = read_part(17);
    ck_assert_uint_eq(part->process.table_bytes, 256);
    ck_assert_uint_eq(part->process.bytes % sizeof(uint64_t), 0);
    free(part);
    const struct group_owner owner = { .name = "" };
    int fd = memfd_create("empty", MFD_CLOEXEC);
    ck_assert_int_eq(group_part_read(fd, &owner, &part), 0);
    ck_assert_ptr_null(part);
    close(fd);
    ck_assert_int_eq(group_part_read(-1, &owner, &part), -EBADF);
}
END_TEST

START_TEST(the_oldest_are_forgotten_and_counted)
{
    add_group("blue");
    for (int32_t pid = 1; pid <= 100; pid++)
        group_book_add(&book, read_part(pid), MAX_BYTES);
    ck_assert_uint_le(book.bytes, MAX_BYTES);
    ck_assert_uint_eq(book.forgotten + parts_in_book(), 100);
    ck_assert_int_eq(book.latest->process.pid, 100);
}
END_TEST

START_TEST(a_large_one_pushes_nobody_out)
{
    add_group("blue");
    group_book_add(&book, read_part(1), MAX_BYTES);
    for (int i = 0; i < 10; i++)
        add_group("red");
    group_book_add(&book, read_part(2), MAX_BYTES);
    ck_assert_uint_eq(parts_in_book(), 1);
    ck_assert_int_eq(book.latest->process.pid, 1);
    ck_assert_uint_eq(book.forgotten, 1);
}
END_TEST

START_TEST(ten_thousand_groups_are_kept)
{
    for (int i = 0; i < 10000; i++)
        add_group("a tenant of the usual sort");
    group_book_add(&book, read_part(1), GROUP_BOOK_MOST_BYTES);
    ck_assert_uint_eq(parts_in_book(), 1);
    ck_assert_uint_eq(book.forgotten, 0);
}
END_TEST

START_TEST(how_a_process_ended_is_learnt_when_it_was_reaped)
{
    pid_t pid = fork();
    if (pid == 0)
        pause();
    add_group("blue");
    struct group_part *part = read_part(pid);
    part->pidfd = pidfd_of_process(pid);
    ck_assert_int_ge(part->pidfd, 0);
    kill(pid, SIGKILL);
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    group_book_add(&book, part, MAX_BYTES);
    ck_assert_uint_eq(book.latest->process.verdict, VERDICT_VANISHED);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    group_book_learn_ends(&book);
    if (book.latest->process.verdict == VERDICT_VANISHED)
        return; /* this kernel cannot tell */
    ck_assert_uint_eq(book.latest->process.verdict, VERDICT_KILLED);
    ck_assert_int_eq(book.latest->process.code, SIGKILL);
    ck_assert_int_eq(book.latest->pidfd, -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.group_tables");
    TCase *tests = tcase_create("group_tables");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_part_is_what_a_snapshot_has);
    tcase_add_test(tests, who_measured_nothing_has_no_part);
    tcase_add_test(tests, numbers_that_lie_make_no_part);
    tcase_add_test(tests, the_oldest_are_forgotten_and_counted);
    tcase_add_test(tests, a_large_one_pushes_nobody_out);
    tcase_add_test(tests, ten_thousand_groups_are_kept);
    tcase_add_test(tests, how_a_process_ended_is_learnt_when_it_was_reaped);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
