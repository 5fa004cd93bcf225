/* daemon.visitors: what strangers say first, over real sockets on a real loop. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/agents/visitors.h"
#include "ipc/connection.h"
#include "ipc/frame.h"
#include "ipc/messages.h"
#include "ipc/socket.h"
#include "tests/unit/run_suite.h"

enum { LOOP_ENDS_MS = 20 * 1000 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct visitors visitors;
static unsigned agents, programs, lines, clients, private_clients, gone;
static int last_pidfd, answer;

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)connection, (void)kind, (void)payload, (void)bytes, (void)fds, (void)fd_count;
    (void)owner;
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events kept_events = { on_message, on_closed };

/* Whoever takes the connection owns it from there on. */
static int take_connection(struct connection *connection)
{
    if (answer == 0)
        connection_set_events(connection, &kept_events, NULL);
    connection_close(connection, answer == 0 ? -ESHUTDOWN : answer);
    return answer;
}

static int on_agent(struct connection *connection, int pidfd, const uint8_t *payload, size_t bytes,
                    int *fds, size_t fd_count, void *context)
{
    struct message_hello hello;

    (void)fds;
    ck_assert_ptr_eq(context, &loop);
    ck_assert_int_eq(message_get_hello(payload, bytes, &hello), 0);
    ck_assert_uint_eq(fd_count, 0);
    last_pidfd = pidfd;
    if (pidfd >= 0)
        close(pidfd);
    agents++;
    return take_connection(connection);
}

static void on_program(struct connection *connection, int pidfd, const uint8_t *payload,
                       size_t bytes, const int *fds, size_t fd_count, void *context)
{
    struct message_program program;

    (void)fds;
    ck_assert_int_ge(pidfd, 0);
    ck_assert_ptr_eq(context, &loop);
    ck_assert_int_eq(connection_peer(connection)->pid, getpid());
    ck_assert_int_eq(message_get_program(payload, bytes, &program), 0);
    ck_assert_uint_eq(fd_count, 1);
    programs++;
}

static int on_client(struct connection *connection, bool is_private, const uint8_t *payload,
                     size_t bytes, void *context)
{
    struct message_client_hello hello;

    ck_assert_ptr_eq(context, &loop);
    ck_assert_int_eq(message_get_client_hello(payload, bytes, &hello), 0);
    if (is_private)
        private_clients++;
    else
        clients++;
    return take_connection(connection);
}

static void on_private_gone(void *context)
{
    ck_assert_ptr_eq(context, &loop);
    gone++;
}

static int on_line(struct connection *connection, void *context)
{
    ck_assert_ptr_eq(context, &loop);
    lines++;
    return take_connection(connection);
}

static const struct visitors_events events = { on_agent, on_program, on_line, on_client,
                                               on_private_gone };

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void set_up(void)
{
    agents = programs = lines = clients = private_clients = gone = 0;
    last_pidfd = -1;
    answer = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    visitors_init(&visitors, &loop, &events, &loop);
}

static void tear_down(void)
{
    visitors_close(&visitors);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(TAILQ_EMPTY(&visitors.all));
    ck_assert_uint_eq(visitors.admission.silent, 0);
    ck_assert_uint_eq(visitors.admission.owner_silent, 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

/* The other end of a connection of UID. */
static int connect_visitor(uid_t uid)
{
    const struct peer_credentials peer = { .pid = getpid(), .uid = uid };
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    visitors_on_accept(NULL, ends[0], &peer, &visitors);
    return ends[1];
}

static void say_hello(int fd)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_hello hello = { .protocol_version = PROTOCOL_VERSION,
                                         .pid = getpid(),
                                         .executable = { "x", 1 },
                                         .command_line = { "x", 1 } };
    long bytes = message_put_hello(frame, sizeof(frame), MESSAGE_HELLO, &hello);

    ck_assert_int_eq(socket_send(fd, frame, (size_t)bytes, NULL, 0), bytes);
}

static void say_client_hello(int fd)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_client_hello hello = { .protocol_version = PROTOCOL_VERSION };
    long bytes = message_put_client_hello(frame, sizeof(frame), MESSAGE_CLIENT_HELLO, &hello);

    ck_assert_int_eq(socket_send(fd, frame, (size_t)bytes, NULL, 0), bytes);
}

static void tell_program(int fd)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_program program = { .protocol_version = PROTOCOL_VERSION,
                                             .obstacle = OBSTACLE_STATIC,
                                             .path = { "x", 1 } };
    long bytes = message_put_program(frame, sizeof(frame), MESSAGE_PROGRAM, &program);

    ck_assert_int_eq(socket_send(fd, frame, (size_t)bytes, &fd, 1), bytes);
}

static void run_until_left(void)
{
    while (!TAILQ_EMPTY(&visitors.all))
        uv_run(&loop, UV_RUN_ONCE);
}

START_TEST(the_first_message_decides)
{
    int agent = connect_visitor(getuid()), client = connect_visitor(getuid());

    say_hello(agent);
    say_client_hello(client);
    run_until_left();
    ck_assert_uint_eq(agents, 1);
    ck_assert_uint_eq(clients, 1);
    ck_assert_int_ge(last_pidfd, 0); /* the owner's process was found as it came */
    close(agent);
    close(client);
}
END_TEST

START_TEST(who_tells_of_a_program_says_no_more)
{
    char byte;
    int sender = connect_visitor(getuid());

    int stranger = connect_visitor(getuid() + 1);

    tell_program(sender);
    tell_program(sender);
    tell_program(stranger);
    run_until_left();
    ck_assert_uint_eq(programs, 2);
    close(stranger);
    ck_assert_int_le(recv(sender, &byte, 1, MSG_DONTWAIT), 0);
    close(sender);
}
END_TEST

START_TEST(what_is_no_hello_ends_the_connection)
{
    static const char garbage[] = "\xff\xff\xff\xff\xff\xff\xff\xff";
    int fd = connect_visitor(getuid());
    char byte;

    ck_assert_int_eq(write(fd, garbage, sizeof(garbage)), sizeof(garbage));
    run_until_left();
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_int_eq(read(fd, &byte, 1), 0);
    ck_assert_uint_eq(agents + clients, 0);
    close(fd);
}
END_TEST

START_TEST(who_goes_without_a_word_is_forgotten)
{
    close(connect_visitor(getuid()));
    run_until_left();
    ck_assert_uint_eq(agents + clients + gone, 0);
}
END_TEST

START_TEST(a_refused_hello_leaves_the_visitor_to_its_end)
{
    int fd = connect_visitor(getuid());

    answer = -EPERM;
    say_hello(fd);
    run_until_left();
    ck_assert_uint_eq(agents, 1);
    close(fd);
}
END_TEST

START_TEST(strangers_get_few_silent_connections)
{
    enum { STRANGER = 12345 };
    int fds[ADMISSION_SILENT_OF_USER + 1];
    char byte;

    for (int i = 0; i <= ADMISSION_SILENT_OF_USER; i++)
        fds[i] = connect_visitor(STRANGER);
    ck_assert_uint_eq(visitors.admission.silent, ADMISSION_SILENT_OF_USER);
    ck_assert_int_eq(read(fds[ADMISSION_SILENT_OF_USER], &byte, 1), 0); /* turned away */
    ck_assert_int_eq(read(fds[0], &byte, 1), -1);
    say_hello(fds[0]);
    while (agents == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(visitors.admission.silent, ADMISSION_SILENT_OF_USER - 1);
    for (int i = 0; i <= ADMISSION_SILENT_OF_USER; i++)
        close(fds[i]);
    run_until_left();
}
END_TEST

static bool is_closed(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 0;
}

static size_t count_descriptors(void)
{
    size_t count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Of 64 descriptors eight connections and their pidfds may have 16. */
START_TEST(the_owners_oldest_silent_connection_gives_way)
{
    enum { STRANGER = 12345, SHARE = 8, LATE = 3 };
    int stranger, fds[SHARE + LATE], private_ends[2];

    admission_init(&visitors.admission, geteuid(), 64);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, private_ends), 0);
    ck_assert_int_eq(visitors_add_private(&visitors, private_ends[0]), 0);
    visitors.admission.descriptors = 1024; /* the stranger's number is no matter here */
    stranger = connect_visitor(STRANGER);
    visitors.admission.descriptors = 64;
    for (int i = 0; i < SHARE; i++)
        fds[i] = connect_visitor(i % 2 == 0 ? geteuid() : 0);
    size_t before = count_descriptors();
    for (int i = SHARE; i < SHARE + LATE; i++)
        fds[i] = connect_visitor(geteuid());
    /* At once, not in the next turn of the loop; LATE are the test's own ends. */
    ck_assert_uint_eq(count_descriptors(), before + LATE);
    ck_assert_uint_eq(visitors.admission.owner_silent, SHARE);
    for (int i = 0; i < SHARE + LATE; i++)
        ck_assert_int_eq(is_closed(fds[i]), i < LATE);
    ck_assert(!is_closed(stranger));
    ck_assert(!is_closed(private_ends[1]));

    say_hello(fds[SHARE + LATE - 1]);
    say_client_hello(fds[LATE]);
    while (agents == 0 || clients == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_ge(last_pidfd, 0);
    ck_assert_uint_eq(visitors.admission.owner_silent, SHARE - 2);
    for (int i = 0; i < SHARE + LATE; i++)
        close(fds[i]);
    close(stranger);
    close(private_ends[1]);
    run_until_left();
    ck_assert_uint_eq(gone, 1);
}
END_TEST

START_TEST(the_private_client_is_told_apart_and_missed)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    ck_assert_int_eq(visitors_add_private(&visitors, ends[0]), 0);
    say_client_hello(ends[1]);
    run_until_left();
    ck_assert_uint_eq(private_clients, 1);
    ck_assert_uint_eq(gone, 0);
    close(ends[1]);

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    ck_assert_int_eq(visitors_add_private(&visitors, ends[0]), 0);
    close(ends[1]);
    run_until_left();
    ck_assert_uint_eq(gone, 1);
    ck_assert_int_eq(visitors_add_private(&visitors, -1), -EBADF);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.visitors");
    TCase *all = tcase_create("visitors");

    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_first_message_decides);
    tcase_add_test(all, who_tells_of_a_program_says_no_more);
    tcase_add_test(all, what_is_no_hello_ends_the_connection);
    tcase_add_test(all, who_goes_without_a_word_is_forgotten);
    tcase_add_test(all, a_refused_hello_leaves_the_visitor_to_its_end);
    tcase_add_test(all, strangers_get_few_silent_connections);
    tcase_add_test(all, the_owners_oldest_silent_connection_gives_way);
    tcase_add_test(all, the_private_client_is_told_apart_and_missed);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
