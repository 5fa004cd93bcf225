/* daemon.memory: a ledger in a file, real arenas and connections, a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/chunk_manager.h"
#include "buffer/clock.h"
#include "buffer/session_word.h"
#include "daemon/children/child_table.h"
#include "daemon/limit/chores.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_store.h"
#include "daemon/session.h"
#include "ipc/connection.h"
#include "ipc/frame.h"
#include "ipc/ledger_file.h"
#include "tests/unit/run_suite.h"

enum {
    LIMIT_UNITS = 64,
    LIMIT_BYTES = LIMIT_UNITS * LEASE_UNIT_BYTES,
    CHUNKS = 4,
    GENERATION = 3,
    LEASED_UNITS = 5,
    RECLAIM_ENDS_S = 30,
};

static char folder[64], path_of_socket[80];
static uv_loop_t loop;
static struct session session;
static struct child_table table;
static struct exit_store exits;
static struct memory memory;
static lease_owner awaited;
static struct connection *agent; /* the other end of a child's */
static unsigned asked, ordered;

static bool is_awaited(lease_owner owner, void *context)
{
    ck_assert_ptr_eq(context, &awaited);
    return owner == awaited;
}

static const struct memory_events events = { is_awaited };

static void on_expired(void *owner, const struct block_account *account)
{
    (void)owner, (void)account;
}

static void begin_memory(void)
{
    const struct memory_views views = { &session, &table, &exits };

    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(memory_init(&memory, &loop, &views, &events, &awaited), 0);
    exit_store_init(&exits, &loop, &memory.ledger, &memory.controller, on_expired);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-memory.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path_of_socket, sizeof(path_of_socket), "%s/socket", folder);
    memset(&table, 0, sizeof(table));
    memset(&memory, 0, sizeof(memory));
    session = (struct session){ .state = SESSION_ACTIVE, .generation = GENERATION };
    session.settings.memory_limit_bytes = LIMIT_BYTES;
    awaited = LEASE_OWNER_NOBODY;
    agent = NULL;
    asked = ordered = 0;
    begin_memory();
}

static void tear_down(void)
{
    char command[128];

    while (table.first != NULL) {
        memory_forget_child(&memory, table.first);
        if (table.first->connection != NULL)
            connection_close(table.first->connection, -ECANCELED);
        child_table_remove(&table, table.first);
    }
    if (agent != NULL)
        connection_close(agent, -ECANCELED);
    memory_close(&memory);
    memory_close(&memory);
    exit_store_destroy(&exits);
    memory_controller_fini(&memory.controller);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static bool open_memory(void)
{
    enum ledger_past past;
    ck_assert_int_eq(memory_open(&memory, path_of_socket, LIMIT_BYTES, LEDGER_IN_FILE, &past), 0);
    return past == LEDGER_PAST_ADOPTED;
}

static bool has_ledger_file(void)
{
    char path[128];
    snprintf(path, sizeof(path), "%s%s", path_of_socket, LEDGER_FILE_SUFFIX);
    return access(path, F_OK) == 0;
}

/* A process that has ended, or been reaped, by now. */
static pid_t ended_process(void)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return pid;
}

static void lease_units(lease_owner owner, unsigned units)
{
    uint32_t unit;
    for (unsigned i = 0; i < units; i++)
        ck_assert_int_eq(lease_take(&memory.ledger, owner, LEASE_TO_GROW, &unit), 0);
}

/* --- The ledger --- */

START_TEST(a_ledger_is_made_and_goes_with_a_good_end)
{
    ck_assert(!open_memory());
    ck_assert(has_ledger_file());
    ck_assert_uint_eq(lease_ledger_limit_bytes(&memory.ledger), LIMIT_BYTES);
    memory_close(&memory);
    ck_assert(!has_ledger_file());
}
END_TEST

START_TEST(that_of_a_killed_one_is_adopted_without_what_it_kept)
{
    const lease_owner living = lease_owner_make(getpid(), 1, false);
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) { /* a profd that is killed */
        open_memory();
        lease_units(LEASE_OWNER_EXITS, LEASED_UNITS);
        lease_units(living, LEASED_UNITS);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert(open_memory());
    ck_assert_uint_eq(lease_count(&memory.ledger, living), LEASED_UNITS);
    ck_assert_uint_eq(lease_count(&memory.ledger, LEASE_OWNER_EXITS), EXIT_LEASE_SPARE_UNITS);
}
END_TEST

START_TEST(a_limit_that_cannot_be_had_leaves_the_old_one)
{
    open_memory();
    ck_assert_uint_eq(memory_set_limit(&memory, LIMIT_BYTES / 2), LIMIT_BYTES / 2);
    ck_assert_uint_eq(memory_set_limit(&memory, UINT64_MAX), LIMIT_BYTES / 2);
    ck_assert_uint_eq(lease_ledger_limit_bytes(&memory.ledger), LIMIT_BYTES / 2);
}
END_TEST

START_TEST(who_is_alone_reads_what_the_session_is)
{
    open_memory();
    struct lease_ledger_header *header = memory.ledger.header;

    session.is_sampling_paused = true;
    memory_publish_session(&memory, true);
    const struct session_word word = session_word_unpack(atomic_load(&header->session_word));
    ck_assert_uint_eq(word.generation, GENERATION);
    ck_assert(word.is_sampling_paused);
    ck_assert(atomic_load(&header->may_be_alone));
    strcpy(session.settings.marker_triggers, "x"); /* which are told of by messages */
    memory_publish_session(&memory, true);
    ck_assert(!atomic_load(&header->may_be_alone));
    session.state = SESSION_IDLE;
    memory_publish_session(&memory, true);
    ck_assert_uint_eq(session_word_unpack(atomic_load(&header->session_word)).generation, 0);
}
END_TEST

START_TEST(nothing_is_told_before_there_is_a_ledger)
{
    memory_publish_session(&memory, true);
    memory_note_ended(&memory, 7);
    memory_schedule_decision(&memory);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_NOWAIT), 0);
}
END_TEST

START_TEST(units_of_those_who_ended_unheard_are_free_again)
{
    const lease_owner lost = lease_owner_make(ended_process(), 1, false);

    awaited = lease_owner_make(ended_process(), 2, false);
    open_memory();
    lease_units(lost, LEASED_UNITS);
    lease_units(awaited, LEASED_UNITS);
    while (lease_count(&memory.ledger, lost) > 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(lease_count(&memory.ledger, awaited), LEASED_UNITS);
}
END_TEST

/* --- Children --- */

static struct child *add_child(pid_t pid)
{
    const struct child_introduction who = { .pid = pid, .executable = "x", .executable_length = 1 };
    struct child *child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    child->lease_owner = lease_owner_make(pid, 1, false);
    return child;
}

/* A child that filled COUNT chunks, and has nobody to talk to. */
static struct child *add_lone(unsigned count)
{
    const struct arena_room room = { CHUNKS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    struct child *child = add_child(4242);
    struct chunk_manager *manager;
    struct arena arena;

    ck_assert_int_eq(arena_create_leased(&room, &memory.ledger, child->lease_owner, &arena), 0);
    ck_assert_int_eq(
        chunk_manager_create(&arena, GENERATION, (uint64_t)CHUNKS * CHUNK_BYTES, &manager), 0);
    for (unsigned i = 0; i < count; i++) {
        struct chunk *chunk = chunk_manager_get(manager, 0);
        ck_assert_ptr_nonnull(chunk);
        chunk_publish(chunk, 100);
        chunk_manager_release(manager, chunk);
    }
    child->arena_fd = dup(arena.fd);
    child_set_agent(child, CHILD_IS_ALONE);
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
    return child;
}

START_TEST(the_oldest_of_who_is_alone_goes_when_memory_is_short)
{
    open_memory();
    memory_begin_session(&memory);
    struct child *child = add_lone(CHUNKS - 1);
    uint32_t units = lease_count(&memory.ledger, child->lease_owner);

    memory_add_child(&memory, child);
    memory_schedule_decision(&memory);
    ck_assert_uint_eq(lease_count(&memory.ledger, child->lease_owner), units); /* there is room */
    memory.controller.target_bytes = 0;
    memory.looked_ns = memory.decided_ns = 0;
    memory_schedule_decision(&memory);
    ck_assert_uint_lt(lease_count(&memory.ledger, child->lease_owner), units);
}
END_TEST

START_TEST(nothing_is_left_of_who_is_alone_after_the_session_or_its_end)
{
    open_memory();
    memory_begin_session(&memory);
    struct child *child = add_lone(CHUNKS - 1);
    lease_owner owner = child->lease_owner;
    uint32_t units = lease_count(&memory.ledger, owner);

    memory_add_child(&memory, child);
    chores_end_session(&memory);
    ck_assert_uint_lt(lease_count(&memory.ledger, owner), units);
    memory_forget_child(&memory, child);
    ck_assert_uint_eq(lease_count(&memory.ledger, owner), 0);
    ck_assert_uint_eq(memory.controller.source_count, 0);
}
END_TEST

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)payload, (void)bytes, (void)fds, (void)fd_count, (void)owner;
    ck_assert_ptr_eq(connection, agent);
    asked += kind == MESSAGE_AWAIT_NEXT_CHUNK_MANAGER_UPDATE;
    ordered += kind == MESSAGE_DESTROY_RELEASED_CHUNKS_AT_OR_BEFORE;
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events connection_events = { on_message, on_closed };

static struct child *add_connected(void)
{
    struct child *child = add_lone(1);
    int ends[2];

    child_set_agent(child, CHILD_LISTENS);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_int_eq(
        connection_accept(&loop, ends[0], &connection_events, NULL, &child->connection), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[1], &connection_events, NULL, &agent), 0);
    memory_add_child(&memory, child);
    return child;
}

static int tell_update(struct child *child, uint64_t done_ns)
{
    static struct message_chunk_manager_update message;
    static uint8_t bytes[64 * 1024];

    message = (struct message_chunk_manager_update){
        .generation = GENERATION,
        .update = { .kind = CHUNK_UPDATE_ORDINARY,
                    .released_bytes = CHUNK_BYTES,
                    .oldest_done_ns = done_ns,
                    .newly_released_count = 1,
                    .newly_released = { { .done_ns = done_ns, .bytes = CHUNK_BYTES } } },
    };
    long count = message_put_chunk_manager_update(bytes, sizeof(bytes),
                                                  MESSAGE_CHUNK_MANAGER_UPDATE, &message);
    ck_assert_int_gt(count, FRAME_HEADER_BYTES);
    return memory_note_update(&memory, child, bytes + FRAME_HEADER_BYTES,
                              (size_t)count - FRAME_HEADER_BYTES);
}

START_TEST(who_listens_is_asked_again_after_each_answer_and_told_what_goes)
{
    open_memory();
    memory_begin_session(&memory);
    struct child *child = add_connected();

    memory_await(child);
    memory_await(child); /* it owes one already */
    memory.controller.target_bytes = 0;
    ck_assert_int_eq(tell_update(child, uv_hrtime()), 0);
    while (asked < 2 || ordered < 1)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(asked, 2);
    ck_assert_uint_eq(ordered, 1);
}
END_TEST

START_TEST(an_update_that_is_none_ends_the_connection)
{
    open_memory();
    ck_assert_int_lt(memory_note_update(&memory, add_connected(), (const uint8_t *)"x", 1), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.memory");
    TCase *ledger = tcase_create("ledger");
    tcase_add_checked_fixture(ledger, set_up, tear_down);
    tcase_set_timeout(ledger, RECLAIM_ENDS_S);
    tcase_add_test(ledger, a_ledger_is_made_and_goes_with_a_good_end);
    tcase_add_test(ledger, that_of_a_killed_one_is_adopted_without_what_it_kept);
    tcase_add_test(ledger, a_limit_that_cannot_be_had_leaves_the_old_one);
    tcase_add_test(ledger, who_is_alone_reads_what_the_session_is);
    tcase_add_test(ledger, nothing_is_told_before_there_is_a_ledger);
    tcase_add_test(ledger, units_of_those_who_ended_unheard_are_free_again);
    suite_add_tcase(suite, ledger);

    TCase *children = tcase_create("children");
    tcase_add_checked_fixture(children, set_up, tear_down);
    tcase_add_test(children, the_oldest_of_who_is_alone_goes_when_memory_is_short);
    tcase_add_test(children, nothing_is_left_of_who_is_alone_after_the_session_or_its_end);
    tcase_add_test(children, who_listens_is_asked_again_after_each_answer_and_told_what_goes);
    tcase_add_test(children, an_update_that_is_none_ends_the_connection);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
