#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/group_reader.h"
#include "buffer/group_table_writer.h"
#include "tests/unit/run_suite.h"

enum { MS = 1000000, CHUNKS = 4, LIMIT_UNITS = 32 };

static const lease_owner owner = (lease_owner)4242 << LEASE_OWNER_PID_SHIFT | 2;
static struct lease_ledger ledger;
static struct arena arena;

static void set_up(void)
{
    const struct arena_room room = { CHUNKS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES,
                                     GROUP_TABLE_BYTES };
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    clock_initialize();
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &arena), 0);
}

static void tear_down(void)
{
    arena_destroy(&arena);
    lease_ledger_close(&ledger);
}

static struct group_record *add_group(const char *kind, const char *name)
{
    const struct group_identity identity = { .kind = kind, .name = name, .id = 7 };
    struct group_record *record;
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    return record;
}

static struct group_reader begin_reading(void)
{
    const struct group_table_header *table = &arena.header->groups;
    return (struct group_reader){
        .memory = (const uint8_t *)arena.header + table->offset,
        .bytes = group_table_readable_bytes(table, arena.mapped_bytes),
    };
}

static bool has_text(const char *text, size_t bytes, const char *expected)
{
    return bytes == strlen(expected) && memcmp(text, expected, bytes) == 0;
}

START_TEST(a_group_is_read_as_it_was_added)
{
    struct group_view view;
    add_group("tenant", "blue");
    add_group("add-on", "");
    struct group_reader reader = begin_reading();
    ck_assert(group_reader_next(&reader, &view));
    ck_assert(has_text(view.kind, view.kind_bytes, "tenant"));
    ck_assert(has_text(view.name, view.name_bytes, "blue"));
    ck_assert_uint_eq(view.id, 7);
    ck_assert_uint_eq(view.ticks, 0);
    ck_assert(group_reader_next(&reader, &view));
    ck_assert(has_text(view.kind, view.kind_bytes, "add-on"));
    ck_assert_uint_eq(view.name_bytes, 0);
    ck_assert(!group_reader_next(&reader, &view));
}
END_TEST

START_TEST(long_texts_are_cut)
{
    static char text[1000];
    struct group_view view;
    memset(text, 'x', sizeof(text) - 1);
    add_group(text, text);
    add_group("tenant", "blue");
    struct group_reader reader = begin_reading();
    ck_assert(group_reader_next(&reader, &view));
    ck_assert_uint_eq(view.kind_bytes, GROUP_TEXT_MAX_BYTES);
    ck_assert_uint_eq(view.name_bytes, GROUP_TEXT_MAX_BYTES);
    ck_assert(group_reader_next(&reader, &view));
    ck_assert(has_text(view.name, view.name_bytes, "blue"));
}
END_TEST

/* A threshold is exceeded by more than itself. */
START_TEST(thresholds_are_powers_of_two)
{
    ck_assert_uint_eq(group_thresholds_exceeded(0), 0);
    ck_assert_uint_eq(group_thresholds_exceeded(MS), 0);
    ck_assert_uint_eq(group_thresholds_exceeded(MS + 1), 1);
    ck_assert_uint_eq(group_thresholds_exceeded(2 * MS), 1);
    ck_assert_uint_eq(group_thresholds_exceeded(2 * MS + 1), 2);
    ck_assert_uint_eq(group_thresholds_exceeded(512 * (uint64_t)MS), 9);
    ck_assert_uint_eq(group_thresholds_exceeded(512 * (uint64_t)MS + 1), 10);
    ck_assert_uint_eq(group_thresholds_exceeded(UINT64_MAX), GROUP_THRESHOLDS);
}
END_TEST

START_TEST(counts_are_cumulative)
{
    struct group_view view;
    struct group_record *record = add_group("tenant", "blue");
    group_record_commit(record, &(struct group_costs){ 3 * MS, 5 * MS, 1, 2 });
    group_record_commit(record, &(struct group_costs){ MS / 2, 2 * MS, 0, 0 });
    struct group_reader reader = begin_reading();
    ck_assert(group_reader_next(&reader, &view));
    ck_assert_uint_eq(view.ticks, 2);
    ck_assert_uint_eq(view.costs.cpu_ns, 3 * MS + MS / 2);
    ck_assert_uint_eq(view.costs.wall_ns, 7 * MS);
    ck_assert_uint_eq(view.costs.blocked_ns, 1);
    ck_assert_uint_eq(view.costs.unattributed_ns, 2);
    const uint64_t cpu[] = { 1, 1, 0 }, wall[] = { 2, 1, 1, 0 };
    ck_assert_int_eq(memcmp(view.cpu_exceeded, cpu, sizeof(cpu)), 0);
    ck_assert_int_eq(memcmp(view.wall_exceeded, wall, sizeof(wall)), 0);
}
END_TEST

START_TEST(groups_take_an_eighth_of_the_limit_at_most)
{
    const struct group_identity identity = { .kind = "tenant", .name = "a usual name, cut" };
    struct group_record *record;
    uint64_t count = 0;
    while (group_table_add(&arena, &identity, &record) == 0)
        count++;
    const uint64_t most_bytes = LIMIT_UNITS * LEASE_UNIT_BYTES / GROUP_TABLE_LIMIT_SHARE;
    ck_assert_uint_eq(count, most_bytes / 256);
    ck_assert_uint_eq(atomic_load(&arena.lease.group_units), most_bytes / LEASE_UNIT_BYTES);
}
END_TEST

START_TEST(without_room_there_are_no_groups)
{
    struct arena small;
    const struct group_identity identity = { .kind = "tenant", .name = "blue" };
    struct group_record *record;
    ck_assert_int_eq(arena_create(CHUNK_BYTES, &small), 0);
    ck_assert_int_eq(group_table_add(&small, &identity, &record), -ENOSPC);
    arena_destroy(&small);
}
END_TEST

START_TEST(a_new_file_has_them_too)
{
    struct group_record *record = add_group("tenant", "blue");
    group_record_commit(record, &(struct group_costs){ .cpu_ns = MS });
    close(arena.fd);
    ck_assert_int_eq(arena_replace_file(&arena), 0);
    struct group_view view;
    struct group_reader reader = begin_reading();
    ck_assert(group_reader_next(&reader, &view));
    ck_assert_uint_eq(view.costs.cpu_ns, MS);
    group_record_commit(record, &(struct group_costs){ .cpu_ns = MS }); /* at the same address */
    reader.at = 0;
    ck_assert(group_reader_next(&reader, &view));
    ck_assert_uint_eq(view.costs.cpu_ns, 2 * MS);
}
END_TEST

START_TEST(numbers_that_lie_end_the_reading)
{
    struct group_view view;
    struct group_record *first = add_group("tenant", "blue");
    add_group("tenant", "red");
    const uint32_t bad[] = { 0, 7, 8, 232, 0x80000000 };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        first->bytes = bad[i];
        struct group_reader reader = begin_reading();
        ck_assert(!group_reader_next(&reader, &view));
    }
    struct group_table_header *table = &arena.header->groups;
    atomic_store(&table->used_bytes, UINT64_MAX);
    ck_assert_uint_eq(group_table_readable_bytes(table, arena.mapped_bytes), 0);
    atomic_store(&table->used_bytes, 512);
    ck_assert_uint_eq(group_table_readable_bytes(table, arena.mapped_bytes), 512);
    ck_assert_uint_eq(group_table_readable_bytes(table, table->offset + 511), 0);
    table->offset = UINT64_MAX;
    ck_assert_uint_eq(group_table_readable_bytes(table, arena.mapped_bytes), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.group_table");
    TCase *tests = tcase_create("group_table");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_group_is_read_as_it_was_added);
    tcase_add_test(tests, long_texts_are_cut);
    tcase_add_test(tests, thresholds_are_powers_of_two);
    tcase_add_test(tests, counts_are_cumulative);
    tcase_add_test(tests, groups_take_an_eighth_of_the_limit_at_most);
    tcase_add_test(tests, without_room_there_are_no_groups);
    tcase_add_test(tests, a_new_file_has_them_too);
    tcase_add_test(tests, numbers_that_lie_end_the_reading);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
