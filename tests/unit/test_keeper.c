#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "daemon/keeping/keeper.h"
#include "daemon/keeping/kept_arenas.h"
#include "tests/unit/run_suite.h"

static struct keeper_message message;
static int ends[2];

static void set_up(void)
{
    clock_initialize();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void tear_down(void)
{
    close(ends[0]);
    close(ends[1]);
}

static int make_file(char content)
{
    int fd = memfd_create("arena", MFD_CLOEXEC);
    ck_assert_int_eq(pwrite(fd, &content, 1, 0), 1);
    return fd;
}

static char content_of(int fd)
{
    char content = 0;
    ck_assert_int_eq(pread(fd, &content, 1, 0), 1);
    return content;
}

static struct keeper_message keep_of(uint64_t id, const char *hello)
{
    struct keeper_message keep = { .kind = KEEPER_KEEP, .pid = 42, .uid = 7, .id = id };
    keep.hello_bytes = (uint32_t)strlen(hello);
    memcpy(keep.hello, hello, strlen(hello));
    return keep;
}

/* --- Messages --- */

START_TEST(a_message_arrives_as_it_was_with_its_descriptor)
{
    int fd = make_file('a'), got = -1;
    message = keep_of(5, "hello");
    ck_assert_int_eq(keeper_message_send(ends[0], &message, fd), 0);
    memset(&message, 0, sizeof(message));
    ck_assert_int_eq(keeper_message_receive(ends[1], &message, &got), 1);
    ck_assert_uint_eq(message.id, 5);
    ck_assert_int_eq(message.pid, 42);
    ck_assert_uint_eq(message.uid, 7);
    ck_assert_uint_eq(message.hello_bytes, 5);
    ck_assert_mem_eq(message.hello, "hello", 5);
    ck_assert_int_eq(content_of(got), 'a');
    close(fd);
    close(got);
}
END_TEST

START_TEST(nothing_is_no_message_and_the_end_is_told)
{
    int got;
    ck_assert_int_eq(keeper_message_receive(ends[1], &message, &got), 0);
    close(ends[0]);
    ck_assert_int_eq(keeper_message_receive(ends[1], &message, &got), -EPIPE);
    ends[0] = -1;
}
END_TEST

START_TEST(what_is_no_message_is_refused)
{
    int got;
    ck_assert_int_eq(send(ends[0], "x", 1, 0), 1);
    ck_assert_int_eq(keeper_message_receive(ends[1], &message, &got), -EPROTO);
    message = keep_of(5, "hello");
    message.kind = 77;
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), 0);
    ck_assert_int_eq(keeper_message_receive(ends[1], &message, &got), -EPROTO);
    message.hello_bytes = KEEPER_HELLO_BYTES + 1;
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), -EMSGSIZE);
}
END_TEST

/* --- The list --- */

START_TEST(what_is_kept_can_be_sent_more_than_once)
{
    struct kept_arenas arenas = { 0 };
    message = keep_of(5, "hello");
    ck_assert_int_eq(kept_arenas_add(&arenas, &message, make_file('a')), 0);
    for (int i = 0; i < 2; i++) {
        int got = -1;
        ck_assert_int_eq(kept_arenas_send(&arenas, ends[0]), 0);
        ck_assert_int_eq(keeper_message_await(ends[1], &message, &got), 1);
        ck_assert_uint_eq(message.kind, KEEPER_KEPT);
        ck_assert_mem_eq(message.hello, "hello", 5);
        ck_assert_int_eq(content_of(got), 'a');
        close(got);
        ck_assert_int_eq(keeper_message_await(ends[1], &message, &got), 1);
        ck_assert_uint_eq(message.kind, KEEPER_ALL);
    }
    kept_arenas_clear(&arenas);
    ck_assert_uint_eq(arenas.count, 0);
}
END_TEST

START_TEST(what_has_the_same_id_takes_the_place)
{
    struct kept_arenas arenas = { 0 };
    message = keep_of(5, "old");
    ck_assert_int_eq(kept_arenas_add(&arenas, &message, make_file('a')), 0);
    message = keep_of(5, "newer");
    ck_assert_int_eq(kept_arenas_add(&arenas, &message, make_file('b')), 0);
    ck_assert_uint_eq(arenas.count, 1);
    ck_assert_int_eq(content_of(arenas.first->fd), 'b');
    kept_arenas_drop(&arenas, 6);
    ck_assert_uint_eq(arenas.count, 1);
    kept_arenas_drop(&arenas, 5);
    ck_assert_uint_eq(arenas.count, 0);
}
END_TEST

START_TEST(the_living_are_known_by_their_pid)
{
    struct kept_arenas arenas = { 0 };
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    message = keep_of(5, "hello");
    message.pid = child;
    ck_assert_int_eq(kept_arenas_add(&arenas, &message, make_file('a')), 0);
    ck_assert(kept_arenas_have_living(&arenas)); /* not reaped */
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert(!kept_arenas_have_living(&arenas));
    kept_arenas_clear(&arenas);
}
END_TEST

/* --- The keeper --- */

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static int listen_somewhere(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof(address);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)), 0); /* any */
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    address.sun_family = AF_UNIX;
    return fd;
}

static int connect_to_keeper(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof(sa_family_t) + 6; /* as the kernel chose it */
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, length), 0);
    return fd;
}

static bool nobody_came;

static void *run_keeper(void *listening_fd)
{
    nobody_came = keeper_run(ends[1], *(int *)listening_fd, -1);
    return NULL;
}

START_TEST(the_next_profd_is_given_what_the_killed_one_left)
{
    int listening_fd = listen_somewhere(), got = -1;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_keeper, &listening_fd), 0);
    int fd = make_file('a');
    message = keep_of(5, "first");
    message.pid = getpid();
    ck_assert_int_eq(keeper_message_send(ends[0], &message, fd), 0);
    message.id = 6;
    ck_assert_int_eq(keeper_message_send(ends[0], &message, fd), 0);
    message = (struct keeper_message){ .kind = KEEPER_DROP, .id = 6 };
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), 0);
    close(ends[0]); /* profd is killed */

    ends[0] = connect_to_keeper();
    ck_assert_int_eq(keeper_message_await(ends[0], &message, &got), 1);
    ck_assert_uint_eq(message.kind, KEEPER_KEPT);
    ck_assert_uint_eq(message.id, 5);
    ck_assert_int_eq(content_of(got), 'a');
    close(got);
    ck_assert_int_eq(keeper_message_await(ends[0], &message, &got), 1);
    ck_assert_uint_eq(message.kind, KEEPER_ALL);

    message = (struct keeper_message){ .kind = KEEPER_OVER };
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!nobody_came);
    close(fd);
    ends[1] = -1;
}
END_TEST

START_TEST(an_orphaned_keeper_that_has_nothing_ends)
{
    int listening_fd = listen_somewhere();
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_keeper, &listening_fd), 0);
    close(ends[0]);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(nobody_came);
    ends[0] = ends[1] = -1;
}
END_TEST

/* Until the time that it was told, however long the processes live. */
START_TEST(a_keeper_that_was_left_ends_in_time)
{
    int listening_fd = listen_somewhere();
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_keeper, &listening_fd), 0);
    int fd = make_file('a');
    message = keep_of(5, "hello");
    message.pid = getpid();
    ck_assert_int_eq(keeper_message_send(ends[0], &message, fd), 0);
    message = (struct keeper_message){ .kind = KEEPER_LEAVE, .id = clock_monotonic_ns() };
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), 0);
    close(ends[0]);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(nobody_came);
    close(fd);
    ends[0] = ends[1] = -1;
}
END_TEST

/* Its session may be one of processes with threads alone, or of none yet. */
START_TEST(a_keeper_that_was_left_with_nothing_stays_as_long)
{
    int listening_fd = listen_somewhere();
    pthread_t thread;
    uint64_t until_ns = clock_monotonic_ns() + UINT64_C(200) * NS_PER_MS;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_keeper, &listening_fd), 0);
    message = (struct keeper_message){ .kind = KEEPER_LEAVE, .id = until_ns };
    ck_assert_int_eq(keeper_message_send(ends[0], &message, -1), 0);
    close(ends[0]);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(nobody_came);
    ck_assert_uint_gt(clock_monotonic_ns(), until_ns);
    ends[0] = ends[1] = -1;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.keeper");
    TCase *tests = tcase_create("keeper");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_message_arrives_as_it_was_with_its_descriptor);
    tcase_add_test(tests, nothing_is_no_message_and_the_end_is_told);
    tcase_add_test(tests, what_is_no_message_is_refused);
    tcase_add_test(tests, what_is_kept_can_be_sent_more_than_once);
    tcase_add_test(tests, what_has_the_same_id_takes_the_place);
    tcase_add_test(tests, the_living_are_known_by_their_pid);
    tcase_add_test(tests, the_next_profd_is_given_what_the_killed_one_left);
    tcase_add_test(tests, an_orphaned_keeper_that_has_nothing_ends);
    tcase_add_test(tests, a_keeper_that_was_left_ends_in_time);
    tcase_add_test(tests, a_keeper_that_was_left_with_nothing_stays_as_long);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
