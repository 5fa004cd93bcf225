/* child-agent.census_message */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "child-agent/agent_lease.h"
#include "child-agent/census_message.h"
#include "daemon/children/pidfd.h"
#include "ipc/frame.h"
#include "ipc/ledger_file.h"
#include "ipc/messages.h"
#include "ipc/socket.h"
#include "tests/unit/run_suite.h"

#define LIMIT (UINT64_C(64) << 20)

static char folder[64];
static struct agent_address address;
static struct lease_ledger ledger;
static int listener;

static void listen_there(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    memcpy(name.sun_path, address.path, sizeof(name.sun_path));
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
    ck_assert_int_eq(listen(listener, 8), 0);
}

static void set_up(void)
{
    enum ledger_past past;
    int fd;
    strcpy(folder, "/tmp/profd-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(address.path, sizeof(address.path), "%s/s", folder);
    ck_assert_int_eq(ledger_file_make(address.path, LIMIT, LEDGER_IN_FILE, &ledger, &fd, &past), 0);
    close(fd);
    listen_there();
    census_message_follow(&address);
}

static void tear_down(void)
{
    close(listener);
    unlink(address.path);
    ledger_file_end(address.path, &ledger);
    ck_assert_int_eq(rmdir(folder), 0);
}

static struct census_entry entry_of(pid_t pid)
{
    struct census_entry entry = {
        .kind = CENSUS_EXEC, .pid = pid, .time_ns = 100, .cpu_ns = 20, .obstacle = OBSTACLE_STATIC
    };
    census_ring_set_path(&entry, "/bin/still");
    return entry;
}

/* What came over a connection of its own, and who sent it. */
struct arrival {
    struct peer_credentials peer;
    struct frame_reader reader;
    struct message_program program;
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
};

static void receive_program(struct arrival *arrival)
{
    uint8_t *room;
    const uint8_t *payload;
    size_t room_bytes, bytes;
    int connection = accept(listener, NULL, NULL);
    ck_assert_int_ge(connection, 0);
    ck_assert_int_eq(socket_peer(connection, &arrival->peer), 0);
    frame_reader_init(&arrival->reader);
    ck_assert_int_eq(frame_reader_room(&arrival->reader, &room, &room_bytes), 0);
    ssize_t got = socket_receive(connection, room, room_bytes, arrival->fds, &arrival->fd_count);
    ck_assert_int_gt(got, 0);
    frame_reader_filled(&arrival->reader, (size_t)got);
    ck_assert_int_eq(frame_reader_next(&arrival->reader, &payload, &bytes), 1);
    ck_assert_int_eq(message_peek_kind(payload, bytes), MESSAGE_PROGRAM);
    ck_assert_int_eq(message_get_program(payload, bytes, &arrival->program), 0);
    close(connection);
}

static void forget_arrival(struct arrival *arrival)
{
    frame_reader_destroy(&arrival->reader);
    for (size_t i = 0; i < arrival->fd_count; i++)
        close(arrival->fds[i]);
}

START_TEST(who_becomes_a_program_is_at_the_other_end)
{
    struct arrival arrival;
    const struct census_entry entry = entry_of(getpid());
    ck_assert_int_eq(agent_lease_find(address.path), 0);
    ck_assert_int_eq(census_message_tell(&entry), 0);
    receive_program(&arrival);
    ck_assert_int_eq(arrival.peer.pid, getpid());
    ck_assert_uint_eq(arrival.fd_count, 0);
    ck_assert_uint_eq(arrival.program.is_about_child, 0);
    ck_assert_uint_eq(arrival.program.time_ns, 100);
    ck_assert_uint_eq(arrival.program.cpu_ns, 20);
    ck_assert_uint_eq(arrival.program.obstacle, OBSTACLE_STATIC);
    ck_assert_uint_eq(arrival.program.has_failed, 0);
    ck_assert_uint_eq(arrival.program.path.length, strlen("/bin/still"));
    ck_assert_int_eq(memcmp(arrival.program.path.bytes, "/bin/still", strlen("/bin/still")), 0);
    forget_arrival(&arrival);
}
END_TEST

START_TEST(a_child_comes_by_its_descriptor)
{
    struct arrival arrival;
    pid_t child = fork();
    if (child == 0)
        pause();
    struct census_entry entry = entry_of(child);
    entry.kind = CENSUS_FAILED;
    ck_assert_int_eq(agent_lease_find(address.path), 0);
    ck_assert_int_eq(census_message_tell(&entry), 0);
    receive_program(&arrival);
    ck_assert_uint_eq(arrival.fd_count, 1);
    ck_assert_uint_eq(arrival.program.is_about_child, 1);
    ck_assert_int_eq(pidfd_number(arrival.fds[0]), child);
    ck_assert_uint_eq(arrival.program.has_failed, 1);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(pidfd_number(arrival.fds[0]), 0);
    ck_assert(pidfd_is_one(arrival.fds[0]));
    ck_assert(!pidfd_is_one(listener));
    ck_assert_int_eq(pidfd_number(listener), 0);
    ck_assert_int_eq(census_message_tell(&entry), -ESRCH);
    forget_arrival(&arrival);
}
END_TEST

START_TEST(who_cannot_be_told_is_an_error)
{
    const struct census_entry entry = entry_of(getpid());
    ck_assert_int_eq(census_message_tell(&entry), -EOPNOTSUPP); /* no ledger */
    ck_assert_int_eq(agent_lease_find(address.path), 0);
    atomic_store(&ledger.header->protocol_minor, PROTOCOL_MINOR_OF_PROGRAMS - 1);
    ck_assert_int_eq(census_message_tell(&entry), -EOPNOTSUPP); /* an older profd */
    atomic_store(&ledger.header->protocol_minor, PROTOCOL_MINOR);
    unlink(address.path);
    ck_assert_int_eq(census_message_tell(&entry), -ENOENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.census_message");
    TCase *tests = tcase_create("messages");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, who_becomes_a_program_is_at_the_other_end);
    tcase_add_test(tests, a_child_comes_by_its_descriptor);
    tcase_add_test(tests, who_cannot_be_told_is_an_error);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
