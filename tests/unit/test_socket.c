#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/peer_group.h"
#include "ipc/socket.h"
#include "tests/unit/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* --- paths --- */

static const struct {
    const char *name, *explicit_path, *profd_socket, *runtime_directory, *expected;
} paths[] = {
    { "explicit wins", "/a/b", "/c", "/run/user/1", "/a/b" },
    { "then PROFD_SOCKET", NULL, "/c", "/run/user/1", "/c" },
    { "then the runtime directory", NULL, NULL, "/run/user/1", "/run/user/1/profd.sock" },
    { "an empty variable is none", NULL, "", "/run/user/1", "/run/user/1/profd.sock" },
};

static void set_or_unset(const char *name, const char *value)
{
    if (value == NULL)
        unsetenv(name);
    else
        setenv(name, value, 1);
}

START_TEST(the_path_is_the_first_that_is_given)
{
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    set_or_unset("PROFD_SOCKET", paths[_i].profd_socket);
    set_or_unset("XDG_RUNTIME_DIR", paths[_i].runtime_directory);
    ck_assert_int_eq(socket_path(paths[_i].explicit_path, path), 0);
    ck_assert_msg(strcmp(path, paths[_i].expected) == 0, "%s: %s", paths[_i].name, path);
}
END_TEST

START_TEST(the_last_resort_is_a_folder_of_the_user)
{
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)], expected[64];
    unsetenv("PROFD_SOCKET");
    unsetenv("XDG_RUNTIME_DIR");
    snprintf(expected, sizeof(expected), "/tmp/profd-%u/profd.sock", (unsigned)geteuid());
    ck_assert_int_eq(socket_path(NULL, path), 0);
    ck_assert_str_eq(path, expected);
}
END_TEST

START_TEST(a_path_fits_with_its_terminator_or_is_refused)
{
    enum { MAXIMUM = sizeof(((struct sockaddr_un *)0)->sun_path) };
    char path[MAXIMUM], name[MAXIMUM + 1];
    memset(name, 'x', sizeof(name));
    name[MAXIMUM - 1] = '\0';
    ck_assert_int_eq(socket_path(name, path), 0);
    ck_assert_str_eq(path, name);
    name[MAXIMUM - 1] = 'x';
    name[MAXIMUM] = '\0';
    ck_assert_int_eq(socket_path(name, path), -ENAMETOOLONG);
    ck_assert_int_eq(socket_connect(name, 0), -ENAMETOOLONG);
}
END_TEST

/* --- connecting --- */

static char folder[64];
static char socket_name[96];
static int listening_fd;

static void listen_in_a_folder(void)
{
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(socket_name, sizeof(socket_name), "%s/s", folder);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strcpy(address.sun_path, socket_name);
    listening_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listening_fd, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(listening_fd, 0), 0);
}

static void remove_folder(void)
{
    close(listening_fd);
    unlink(socket_name);
    rmdir(folder);
}

START_TEST(a_connection_is_close_on_exec_non_blocking_and_high)
{
    int fd = socket_connect(socket_name, 200);
    ck_assert_int_ge(fd, 200);
    ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    close(fd);
}
END_TEST

START_TEST(a_number_beyond_the_limit_of_descriptors_is_an_error_that_leaks_nothing)
{
    struct rlimit limit = { 64, 64 };
    int before = dup(0);
    close(before);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(socket_connect(socket_name, 64), -EINVAL);
    int after = dup(0);
    ck_assert_int_eq(after, before);
    close(after);
}
END_TEST

START_TEST(nobody_there_and_nobody_listening_are_told_apart)
{
    char nowhere[128];
    snprintf(nowhere, sizeof(nowhere), "%s/none", folder);
    ck_assert_int_eq(socket_connect(nowhere, 0), -ENOENT);
    close(listening_fd);
    ck_assert_int_eq(socket_connect(socket_name, 0), -ECONNREFUSED);
    listening_fd = -1;
}
END_TEST

START_TEST(a_full_backlog_is_told_at_once)
{
    int fds[8], count = 0, fd;
    while ((fd = socket_connect(socket_name, 0)) >= 0 && count < COUNT_OF(fds))
        fds[count++] = fd;
    ck_assert_int_eq(fd, -EAGAIN);
    while (count > 0)
        close(fds[--count]);
}
END_TEST

static void *accept_one(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)accept(listening_fd, NULL, NULL);
}

START_TEST(who_is_patient_gets_in_when_there_is_room)
{
    int fds[8], count = 0, fd;
    pthread_t thread;
    void *accepted;

    while ((fd = socket_connect(socket_name, 0)) >= 0 && count < COUNT_OF(fds))
        fds[count++] = fd;
    ck_assert_int_eq(socket_connect_patiently(socket_name, 1), -EAGAIN);
    ck_assert_int_eq(pthread_create(&thread, NULL, accept_one, NULL), 0);
    fd = socket_connect_patiently(socket_name, 60000);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    ck_assert_int_eq(pthread_join(thread, &accepted), 0);
    close((int)(intptr_t)accepted);
    close(fd);
    while (count > 0)
        close(fds[--count]);
}
END_TEST

START_TEST(patience_does_not_wait_for_nobody)
{
    char nowhere[128], name[256] = "";

    snprintf(nowhere, sizeof(nowhere), "%s/none", folder);
    ck_assert_int_eq(socket_connect_patiently(nowhere, 60000), -ENOENT);
    memset(name, 'x', sizeof(name) - 1);
    ck_assert_int_eq(socket_connect_patiently(name, 60000), -ENAMETOOLONG);
}
END_TEST

START_TEST(the_peer_is_the_kernel_s_word)
{
    struct peer_credentials peer;
    int fd = socket_connect(socket_name, 0);
    int accepted = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_eq(socket_peer(accepted, &peer), 0);
    ck_assert_int_eq(peer.pid, getpid());
    ck_assert_uint_eq(peer.uid, geteuid());
    ck_assert_uint_eq(peer.gid, getegid());
    ck_assert_int_eq(socket_peer(-1, &peer), -EBADF);
    close(accepted);
    close(fd);
}
END_TEST

START_TEST(the_peers_groups_are_its_own_and_the_supplementary_ones)
{
    gid_t groups[64];
    int ends_of_pair[2];
    int count = getgroups(64, groups);

    ck_assert_int_ge(count, 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_of_pair), 0);
    ck_assert(peer_is_in_group(ends_of_pair[0], getegid()));
    for (int i = 0; i < count; i++)
        ck_assert(peer_is_in_group(ends_of_pair[0], groups[i]));
    ck_assert(!peer_is_in_group(ends_of_pair[0], 4000000000U));
    ck_assert(!peer_is_in_group(-1, getegid()));
    close(ends_of_pair[0]);
    close(ends_of_pair[1]);
}
END_TEST

/* --- bytes and descriptors --- */

static int ends[2];

static void make_pair(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_pair(void)
{
    close(ends[0]);
    close(ends[1]);
}

static bool is_same_file(int a, int b)
{
    struct stat first, second;
    ck_assert_int_eq(fstat(a, &first), 0);
    ck_assert_int_eq(fstat(b, &second), 0);
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

START_TEST(descriptors_arrive_with_the_bytes_and_close_on_exec)
{
    char bytes[16];
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
    ck_assert_int_eq(socket_send(ends[0], "hello", 5, ends, 2), 5);
    ck_assert_int_eq(socket_receive(ends[1], bytes, sizeof(bytes), fds, &fd_count), 5);
    ck_assert_mem_eq(bytes, "hello", 5);
    ck_assert_uint_eq(fd_count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert(is_same_file(fds[i], ends[i]));
        ck_assert_int_eq(fcntl(fds[i], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        close(fds[i]);
    }
}
END_TEST

START_TEST(descriptors_never_arrive_with_a_later_send_s_bytes)
{
    char bytes[16];
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
    ck_assert_int_eq(socket_send(ends[0], "a", 1, NULL, 0), 1);
    ck_assert_int_eq(socket_send(ends[0], "bc", 2, ends, 1), 2);
    ck_assert_int_eq(socket_send(ends[0], "d", 1, NULL, 0), 1);
    ck_assert_int_eq(socket_receive(ends[1], bytes, sizeof(bytes), fds, &fd_count), 3);
    ck_assert_uint_eq(fd_count, 1);
    close(fds[0]);
    ck_assert_int_eq(socket_receive(ends[1], bytes, sizeof(bytes), fds, &fd_count), 1);
    ck_assert_uint_eq(fd_count, 0);
}
END_TEST

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Sends more descriptors than socket_send() would. */
static void send_many(int fd, int count)
{
    char byte = 'x', room[CMSG_SPACE(16 * sizeof(int))] __attribute__((aligned(8))) = { 0 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = room,
                              .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int)) };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    for (int i = 0; i < count; i++)
        memcpy(CMSG_DATA(header) + (size_t)i * sizeof(int), &ends[0], sizeof(int));
    ck_assert_int_eq(sendmsg(fd, &message, 0), 1);
}

START_TEST(surplus_descriptors_are_closed)
{
    char byte;
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
    int before = open_descriptors();
    send_many(ends[0], 16);
    ck_assert_int_eq(socket_receive(ends[1], &byte, 1, fds, &fd_count), 1);
    ck_assert_uint_eq(fd_count, SOCKET_MAX_DESCRIPTORS);
    for (size_t i = 0; i < fd_count; i++)
        close(fds[i]);
    ck_assert_int_eq(open_descriptors(), before);
}
END_TEST

START_TEST(too_many_descriptors_or_no_bytes_are_not_sent)
{
    int fds[SOCKET_MAX_DESCRIPTORS + 1] = { 0 };
    ck_assert_int_eq(socket_send(ends[0], "x", 1, fds, SOCKET_MAX_DESCRIPTORS + 1), -EINVAL);
    ck_assert_int_eq(socket_send(ends[0], "x", 0, NULL, 0), -EINVAL);
    ck_assert_int_eq(socket_send(ends[0], "x", 1, fds, SOCKET_MAX_DESCRIPTORS), 1);
}
END_TEST

START_TEST(neither_direction_blocks_though_the_socket_would)
{
    static char bytes[64 * 1024];
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
    ck_assert_int_eq(socket_receive(ends[1], bytes, sizeof(bytes), fds, &fd_count), -EAGAIN);
    ssize_t sent;
    while ((sent = socket_send(ends[0], bytes, sizeof(bytes), NULL, 0)) > 0)
        ;
    ck_assert_int_eq(sent, -EAGAIN);
}
END_TEST

START_TEST(a_peer_that_is_gone_is_an_error_and_no_signal)
{
    char byte;
    int fds[SOCKET_MAX_DESCRIPTORS];
    size_t fd_count;
    close(ends[1]);
    ck_assert_int_eq(socket_send(ends[0], "x", 1, NULL, 0), -EPIPE);
    ck_assert_int_eq(socket_receive(ends[0], &byte, 1, fds, &fd_count), 0);
    ends[1] = -1;
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.socket");
    TCase *path = tcase_create("paths");
    tcase_add_loop_test(path, the_path_is_the_first_that_is_given, 0, COUNT_OF(paths));
    tcase_add_test(path, the_last_resort_is_a_folder_of_the_user);
    tcase_add_test(path, a_path_fits_with_its_terminator_or_is_refused);
    suite_add_tcase(s, path);

    TCase *connecting = tcase_create("connecting");
    tcase_add_checked_fixture(connecting, listen_in_a_folder, remove_folder);
    tcase_add_test(connecting, a_connection_is_close_on_exec_non_blocking_and_high);
    tcase_add_test(connecting,
                   a_number_beyond_the_limit_of_descriptors_is_an_error_that_leaks_nothing);
    tcase_add_test(connecting, nobody_there_and_nobody_listening_are_told_apart);
    tcase_add_test(connecting, a_full_backlog_is_told_at_once);
    tcase_add_test(connecting, who_is_patient_gets_in_when_there_is_room);
    tcase_add_test(connecting, patience_does_not_wait_for_nobody);
    tcase_add_test(connecting, the_peer_is_the_kernel_s_word);
    tcase_add_test(connecting, the_peers_groups_are_its_own_and_the_supplementary_ones);
    suite_add_tcase(s, connecting);

    TCase *passing = tcase_create("bytes and descriptors");
    tcase_add_checked_fixture(passing, make_pair, close_pair);
    tcase_add_test(passing, descriptors_arrive_with_the_bytes_and_close_on_exec);
    tcase_add_test(passing, descriptors_never_arrive_with_a_later_send_s_bytes);
    tcase_add_test(passing, surplus_descriptors_are_closed);
    tcase_add_test(passing, too_many_descriptors_or_no_bytes_are_not_sent);
    tcase_add_test(passing, neither_direction_blocks_though_the_socket_would);
    tcase_add_test(passing, a_peer_that_is_gone_is_an_error_and_no_signal);
    suite_add_tcase(s, passing);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
