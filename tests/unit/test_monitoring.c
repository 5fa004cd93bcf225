/* daemon.monitoring: real arenas and connections, and no daemon. */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/group_reader.h"
#include "buffer/group_table_writer.h"
#include "buffer/lease_ledger.h"
#include "daemon/children/child_table.h"
#include "daemon/groups/monitoring.h"
#include "daemon/outbox.h"
#include "ipc/connection.h"
#include "ipc/groups/group_snapshot.h"
#include "tests/unit/run_suite.h"

enum { LIMIT_BYTES = 64 * LEASE_UNIT_BYTES };

static uv_loop_t loop;
static struct lease_ledger ledger;
static struct child_table table;
static struct monitoring monitoring;
static struct connection *agent; /* the other end of a child's */
static unsigned told;            /* of other needs, there */
static bool is_over;             /* the last message came there */

static void set_up(void)
{
    clock_initialize();
    memset(&table, 0, sizeof(table));
    memset(&monitoring, 0, sizeof(monitoring));
    agent = NULL;
    told = 0;
    is_over = false;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_BYTES, &ledger), 0);
    close(fd);
    monitoring_init(&monitoring, &table, &ledger);
}

static void tear_down(void)
{
    monitoring_close(&monitoring);
    while (table.first != NULL) {
        if (table.first->connection != NULL)
            connection_close(table.first->connection, -ECANCELED);
        child_table_remove(&table, table.first);
    }
    if (agent != NULL)
        connection_close(agent, -ECANCELED);
    lease_ledger_close(&ledger);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static struct child *add_child(pid_t pid, const char *executable)
{
    const struct child_introduction who = {
        .pid = pid, .start_ns = 3, .executable = executable, .executable_length = strlen(executable)
    };
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    return child;
}

/* A child with an arena in which group NAME used CPU_NS; NULL: no group. */
static struct child *add_measured(pid_t pid, const char *name, uint64_t cpu_ns)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    const struct group_identity identity = { .kind = "tenant", .name = name };
    struct group_record *record;
    struct arena arena;
    struct child *child = add_child(pid, "/usr/bin/server");

    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
    if (name != NULL) {
        ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
        group_record_commit(record, &(struct group_costs){ .cpu_ns = cpu_ns });
    }
    child->arena_fd = dup(arena.fd);
    arena_destroy(&arena);
    return child;
}

static void end_child(struct child *child, enum process_verdict verdict, int code)
{
    child_end(&table, child, verdict, code, 9);
    monitoring_note_ended(&monitoring, child);
}

/* A snapshot, taken and read. */
struct snapshot {
    _Alignas(uint64_t) uint8_t memory[64 * 1024];
    struct group_snapshot_head head;
    struct group_snapshot_reader reader;
};

static void take_snapshot(struct snapshot *out)
{
    int fd = memfd_create("snapshot", MFD_CLOEXEC);
    ck_assert_int_eq(monitoring_write_snapshot(&monitoring, fd), 0);
    ssize_t bytes = pread(fd, out->memory, sizeof(out->memory), 0);
    ck_assert_int_gt(bytes, 0);
    close(fd);
    out->reader = (struct group_snapshot_reader){ .memory = out->memory, .bytes = (size_t)bytes };
    ck_assert(group_snapshot_open(&out->reader, &out->head));
}

static struct group_snapshot_process next_process(struct snapshot *snapshot)
{
    struct group_snapshot_view view;
    ck_assert(group_snapshot_next(&snapshot->reader, &view));
    return *view.process;
}

START_TEST(a_snapshot_has_the_living_and_those_that_ended)
{
    static struct snapshot snapshot;
    struct group_snapshot_view view;
    struct group_view group;

    add_measured(10, "blue", 7);
    end_child(add_measured(11, "red", 8), VERDICT_EXITED, 3);
    take_snapshot(&snapshot);
    ck_assert_uint_eq(snapshot.head.processes, 2);
    ck_assert_uint_eq(snapshot.head.unmeasured, 0);
    ck_assert(group_snapshot_next(&snapshot.reader, &view));
    ck_assert_int_eq(view.process->pid, 10);
    ck_assert_uint_eq(view.process->end_ns, 0);
    ck_assert_int_eq(strncmp(view.name, "server", view.process->name_bytes), 0);
    struct group_reader groups = { .memory = view.table, .bytes = view.process->table_bytes };
    ck_assert(group_reader_next(&groups, &group));
    ck_assert_uint_eq(group.costs.cpu_ns, 7);
    const struct group_snapshot_process ended = next_process(&snapshot);
    ck_assert_int_eq(ended.pid, 11);
    ck_assert_uint_eq(ended.end_ns, 9);
    ck_assert_uint_eq(ended.verdict, VERDICT_EXITED);
    ck_assert_int_eq(ended.code, 3);
}
END_TEST

START_TEST(who_ended_is_there_when_its_child_is_not)
{
    static struct snapshot snapshot;
    struct child *child = add_measured(11, "red", 8);

    end_child(child, VERDICT_EXITED, 0);
    child_table_remove(&table, child);
    take_snapshot(&snapshot);
    ck_assert_int_eq(next_process(&snapshot).pid, 11);
}
END_TEST

START_TEST(a_title_is_the_better_name)
{
    static struct snapshot snapshot;
    struct group_snapshot_view view;

    process_title_set(&add_measured(10, "blue", 7)->title, "server: accounts");
    take_snapshot(&snapshot);
    ck_assert(group_snapshot_next(&snapshot.reader, &view));
    ck_assert_int_eq(strncmp(view.name, "server: accounts", view.process->name_bytes), 0);
}
END_TEST

START_TEST(who_measured_nothing_is_counted_and_harms_nobody)
{
    static struct snapshot snapshot;

    add_child(9, "/bin/silent");
    add_measured(10, NULL, 0);
    add_measured(12, "blue", 7);
    take_snapshot(&snapshot);
    ck_assert_uint_eq(snapshot.head.unmeasured, 2);
    ck_assert_uint_eq(snapshot.head.processes, 1);
    ck_assert_int_eq(next_process(&snapshot).pid, 12);
}
END_TEST

START_TEST(a_snapshot_is_written_to_files_alone)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(monitoring_write_snapshot(&monitoring, ends[1]), -EINVAL);
    ck_assert_int_eq(monitoring_write_snapshot(&monitoring, -1), -EBADF);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* --- What is needed --- */

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)payload, (void)bytes, (void)fds, (void)fd_count, (void)owner;
    ck_assert_ptr_eq(connection, agent);
    told += kind == MESSAGE_FOLLOW_GROUPS;
    is_over |= kind != MESSAGE_FOLLOW_GROUPS;
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events events = { on_message, on_closed };

static void connect_child(struct child *child)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[0], &events, NULL, &child->connection), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[1], &events, NULL, &agent), 0);
}

static const struct monitoring_demand nobodys;

START_TEST(what_anybody_needs_is_measured)
{
    monitoring_open(&monitoring, &(struct monitoring_demand){ .of_profd = 4, .of_clients = 8 });
    ck_assert_uint_eq(monitoring.needs, 12);
    monitoring_follow(&monitoring, &(struct monitoring_demand){ .is_of_triggers = true });
    ck_assert_uint_eq(monitoring.needs, GROUP_NEEDS_USUAL);
}
END_TEST

START_TEST(who_listens_is_told_of_other_needs_and_all_can_read_them)
{
    struct child *child = add_child(10, "/bin/true");

    connect_child(child);
    add_child(11, "/bin/alone");
    monitoring_open(&monitoring, &nobodys);
    monitoring_follow(&monitoring, &(struct monitoring_demand){ .is_of_session = true });
    ck_assert_uint_eq(atomic_load(&ledger.header->group_needs), GROUP_NEEDS_USUAL);
    monitoring_follow(&monitoring,
                      &(struct monitoring_demand){ .of_clients = GROUP_NEEDS_USUAL }); /* no news */
    monitoring_follow(&monitoring, &nobodys);
    ck_assert_int_eq(outbox_empty(child->connection, MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE), 0);
    while (!is_over)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(told, 2);
    ck_assert_uint_eq(atomic_load(&ledger.header->group_needs), 0);
}
END_TEST

START_TEST(what_clients_of_another_profd_asked_for_is_over)
{
    atomic_store(&ledger.header->group_needs, GROUP_NEEDS_USUAL);
    monitoring_open(&monitoring, &nobodys);
    ck_assert_uint_eq(atomic_load(&ledger.header->group_needs), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.monitoring");
    TCase *all = tcase_create("monitoring");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_snapshot_has_the_living_and_those_that_ended);
    tcase_add_test(all, who_ended_is_there_when_its_child_is_not);
    tcase_add_test(all, a_title_is_the_better_name);
    tcase_add_test(all, what_anybody_needs_is_measured);
    tcase_add_test(all, who_measured_nothing_is_counted_and_harms_nobody);
    tcase_add_test(all, a_snapshot_is_written_to_files_alone);
    tcase_add_test(all, who_listens_is_told_of_other_needs_and_all_can_read_them);
    tcase_add_test(all, what_clients_of_another_profd_asked_for_is_over);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
