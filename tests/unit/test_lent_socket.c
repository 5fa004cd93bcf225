/* ipc.socket_file: sockets that a service manager lends. */
#include <errno.h>
#include <sys/socket.h>

#include "ipc/socket.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/socket_file_scene.h"

/* As a service manager listens, of TYPE; not at all with a BACKLOG below 0. */
static int lend_socket(int type, int backlog)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, type, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    if (backlog >= 0)
        ck_assert_int_eq(listen(fd, backlog), 0);
    return fd;
}

START_TEST(a_lent_socket_is_listened_with_and_stays)
{
    struct socket_file file;
    int managers = lend_socket(SOCK_STREAM, 5), ours = dup(managers);

    ck_assert_int_eq(socket_file_adopt(&file, ours, text, sizeof(text)), 0);
    ck_assert_str_eq(file.path, path);
    ck_assert(file_exists(lock_path));
    int client = socket_connect(path, 0);
    ck_assert_int_ge(client, 0);
    int accepted = accept(file.listening_fd, NULL, NULL);
    ck_assert_int_ge(accepted, 0);
    ck_assert_int_eq(accept(file.listening_fd, NULL, NULL), -1);
    ck_assert_int_eq(errno, EAGAIN); /* it does not wait */
    socket_file_close(&file);
    ck_assert(!file_exists(lock_path));
    int later = socket_connect(path, 0);
    ck_assert_int_ge(later, 0); /* for the next profd */
    close(later);
    close(client);
    close(accepted);
    close(managers);
}
END_TEST

START_TEST(a_lent_socket_is_not_for_two)
{
    struct socket_file first, second;
    int managers = lend_socket(SOCK_STREAM, 5);

    ck_assert_int_eq(socket_file_adopt(&first, dup(managers), text, sizeof(text)), 0);
    ck_assert_int_eq(socket_file_adopt(&second, dup(managers), text, sizeof(text)), -EADDRINUSE);
    ck_assert_ptr_nonnull(strstr(text, path));
    socket_file_close(&first);
    close(managers);
}
END_TEST

START_TEST(what_does_not_listen_is_not_adopted)
{
    const int types[] = { SOCK_STREAM, SOCK_DGRAM };
    struct socket_file file;
    int fd = lend_socket(types[_i], -1);

    ck_assert_int_eq(socket_file_adopt(&file, fd, text, sizeof(text)), -EINVAL);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1); /* closed */
    ck_assert(!file_exists(lock_path));
}
END_TEST

START_TEST(a_file_is_no_lent_socket)
{
    struct socket_file file;
    int fd = open("/dev/null", O_RDONLY);

    ck_assert_int_eq(socket_file_adopt(&file, fd, text, sizeof(text)), -ENOTSOCK);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.lent_socket");
    TCase *listening = tcase_create("listening");
    tcase_add_checked_fixture(listening, make_folder, remove_folder);
    tcase_add_test(listening, a_lent_socket_is_listened_with_and_stays);
    tcase_add_test(listening, a_lent_socket_is_not_for_two);
    tcase_add_loop_test(listening, what_does_not_listen_is_not_adopted, 0, 2);
    tcase_add_test(listening, a_file_is_no_lent_socket);
    suite_add_tcase(s, listening);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
