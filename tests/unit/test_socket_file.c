#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/socket.h"
#include "ipc/socket_file.h"

static char folder[64];
static char path[96], lock_path[104];
static char text[256];

static void make_folder(void)
{
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/profd.sock", folder);
    snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(lock_path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static int try_to_listen(struct socket_file *file)
{
    text[0] = '\0';
    int error = socket_file_listen(file, path, text, sizeof(text));
    ck_assert_msg((error == 0) == (text[0] == '\0'), "%d: '%s'", error, text);
    return error;
}

static bool file_exists(const char *name)
{
    return access(name, F_OK) == 0;
}

/* A socket file whose owner is gone. */
static void leave_dead_socket(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

START_TEST(any_user_who_reaches_the_file_may_connect)
{
    struct socket_file file;
    struct stat status;
    umask(0077);
    ck_assert_int_eq(try_to_listen(&file), 0);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0666);
    int fd = socket_connect(path, 0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    socket_file_close(&file);
}
END_TEST

START_TEST(closing_leaves_nothing_behind)
{
    struct socket_file file;
    ck_assert_int_eq(try_to_listen(&file), 0);
    socket_file_close(&file);
    ck_assert(!file_exists(path));
    ck_assert(!file_exists(lock_path));
}
END_TEST

START_TEST(closing_spares_a_file_that_somebody_else_made)
{
    struct socket_file file;
    ck_assert_int_eq(try_to_listen(&file), 0);
    ck_assert_int_eq(unlink(path), 0);
    leave_dead_socket();
    socket_file_close(&file);
    ck_assert(file_exists(path));
}
END_TEST

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

START_TEST(a_second_one_is_refused_and_the_first_goes_on)
{
    struct socket_file first, second;
    ck_assert_int_eq(try_to_listen(&first), 0);
    ck_assert_int_eq(try_to_listen(&second), -EADDRINUSE);
    ck_assert_ptr_nonnull(strstr(text, path));
    int fd = socket_connect(path, 0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    socket_file_close(&first);
    ck_assert_int_eq(try_to_listen(&second), 0);
    socket_file_close(&second);
}
END_TEST

START_TEST(a_living_socket_without_lock_is_left_alone)
{
    struct socket_file first, second;
    ck_assert_int_eq(try_to_listen(&first), 0);
    ck_assert_int_eq(unlink(lock_path), 0);
    ck_assert_int_eq(try_to_listen(&second), -EADDRINUSE);
    ck_assert(!file_exists(lock_path));
    socket_file_close(&first);
}
END_TEST

START_TEST(a_dead_socket_file_is_replaced)
{
    struct socket_file file;
    leave_dead_socket();
    ck_assert_int_eq(socket_connect(path, 0), -ECONNREFUSED);
    ck_assert_int_eq(try_to_listen(&file), 0);
    int fd = socket_connect(path, 0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    socket_file_close(&file);
}
END_TEST

START_TEST(a_lock_file_that_a_killed_one_left_is_no_obstacle)
{
    struct socket_file file;
    int fd = open(lock_path, O_CREAT | O_WRONLY, 0600);
    close(fd);
    leave_dead_socket();
    ck_assert_int_eq(try_to_listen(&file), 0);
    socket_file_close(&file);
}
END_TEST

START_TEST(what_is_no_socket_stays)
{
    struct socket_file file;
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(write(fd, "mine", 4), 4);
    close(fd);
    ck_assert_int_eq(try_to_listen(&file), -EEXIST);
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_size, 4);
    ck_assert(!file_exists(lock_path));
}
END_TEST

START_TEST(a_symbolic_link_at_the_lock_is_not_followed)
{
    struct socket_file file;
    char victim[128];
    snprintf(victim, sizeof(victim), "%s/victim", folder);
    ck_assert_int_eq(symlink(victim, lock_path), 0);
    ck_assert_int_eq(try_to_listen(&file), -ELOOP);
    ck_assert(!file_exists(victim));
}
END_TEST

START_TEST(a_missing_folder_and_a_long_path_are_named)
{
    struct socket_file file;
    char longest[300];
    strcat(path, "/no/such");
    ck_assert_int_eq(try_to_listen(&file), -ENOENT);
    ck_assert_ptr_nonnull(strstr(text, path));
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_assert_int_eq(socket_file_listen(&file, longest, text, sizeof(text)), -ENAMETOOLONG);
    ck_assert_uint_lt(strlen(text), sizeof(text));
    *strstr(path, "/no/such") = '\0';
}
END_TEST

/* Waits for the start, listens, tells the outcome, and stays until everybody has told. */
static void race_for_socket(int start_fd, int result_fd)
{
    struct socket_file file;
    char byte;
    while (read(start_fd, &byte, 1) > 0)
        ;
    int error = socket_file_listen(&file, path, text, sizeof(text));
    ck_assert_int_eq(write(result_fd, &error, sizeof(error)), sizeof(error));
    pause();
}

START_TEST(of_many_that_start_at_once_over_a_dead_socket_one_listens)
{
    enum { RACERS = 12 };
    int start[2], results[2], listening = 0, in_use = 0;
    pid_t racers[RACERS];
    leave_dead_socket();
    ck_assert_int_eq(pipe(start), 0);
    ck_assert_int_eq(pipe(results), 0);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = fork();
        if (racers[i] == 0) {
            close(start[1]);
            race_for_socket(start[0], results[1]);
            _exit(0);
        }
    }
    close(start[1]);
    for (int i = 0; i < RACERS; i++) {
        int error;
        ck_assert_int_eq(read(results[0], &error, sizeof(error)), sizeof(error));
        listening += error == 0;
        in_use += error == -EADDRINUSE;
    }
    for (int i = 0; i < RACERS; i++) {
        kill(racers[i], SIGKILL);
        waitpid(racers[i], NULL, 0);
    }
    ck_assert_int_eq(listening, 1);
    ck_assert_int_eq(in_use, RACERS - 1);
}
END_TEST

/* Listens and ends again and again; returns how often somebody else held the socket at the same
 * time. */
static int take_turns(const char *marker, int turns)
{
    int overlaps = 0;
    while (turns > 0) {
        struct socket_file file;
        if (socket_file_listen(&file, path, text, sizeof(text)) < 0)
            continue;
        int fd = open(marker, O_CREAT | O_EXCL | O_WRONLY, 0600);
        overlaps += fd < 0;
        close(fd);
        unlink(marker);
        socket_file_close(&file);
        turns--;
    }
    return overlaps;
}

START_TEST(while_some_end_and_others_start_never_two_hold_it)
{
    enum { PROCESSES = 4, TURNS = 300 };
    char marker[128];
    pid_t pids[PROCESSES];
    snprintf(marker, sizeof(marker), "%s/marker", folder);
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(take_turns(marker, TURNS) > 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
}
END_TEST

/* --- the default folder; as a user who surely has none, which only root can become --- */

enum { STRANGER = 54321 };
static const char stranger_folder[] = "/tmp/profd-54321";

static bool become_stranger(void)
{
    if (geteuid() != 0)
        return false;
    snprintf(path, sizeof(path), "%s/profd.sock", stranger_folder);
    snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
    unlink(path); /* what a failed run left */
    unlink(lock_path);
    rmdir(stranger_folder);
    ck_assert_int_eq(seteuid(STRANGER), 0);
    return true;
}

static void become_root_again(void)
{
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(rmdir(stranger_folder), 0);
}

START_TEST(the_default_folder_is_made_for_its_user_alone)
{
    struct socket_file file;
    struct stat status;
    if (!become_stranger())
        return;
    ck_assert_int_eq(try_to_listen(&file), 0);
    ck_assert_int_eq(stat(stranger_folder, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0700);
    ck_assert_uint_eq(status.st_uid, STRANGER);
    socket_file_close(&file);
    become_root_again();
}
END_TEST

START_TEST(a_default_folder_that_others_can_write_to_is_refused)
{
    struct socket_file file;
    if (!become_stranger())
        return;
    ck_assert_int_eq(mkdir(stranger_folder, 0700), 0);
    ck_assert_int_eq(chmod(stranger_folder, 0770), 0);
    ck_assert_int_eq(try_to_listen(&file), -EPERM);
    become_root_again();
}
END_TEST

START_TEST(a_default_folder_of_somebody_else_is_refused)
{
    struct socket_file file;
    if (!become_stranger())
        return;
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(mkdir(stranger_folder, 0755), 0);
    ck_assert_int_eq(seteuid(STRANGER), 0);
    ck_assert_int_eq(try_to_listen(&file), -EPERM);
    become_root_again();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.socket_file");
    TCase *listening = tcase_create("listening");
    tcase_add_checked_fixture(listening, make_folder, remove_folder);
    tcase_add_test(listening, any_user_who_reaches_the_file_may_connect);
    tcase_add_test(listening, closing_leaves_nothing_behind);
    tcase_add_test(listening, closing_spares_a_file_that_somebody_else_made);
    tcase_add_test(listening, a_lent_socket_is_listened_with_and_stays);
    tcase_add_test(listening, a_lent_socket_is_not_for_two);
    tcase_add_loop_test(listening, what_does_not_listen_is_not_adopted, 0, 2);
    tcase_add_test(listening, a_file_is_no_lent_socket);
    suite_add_tcase(s, listening);

    TCase *occupied = tcase_create("occupied");
    tcase_add_checked_fixture(occupied, make_folder, remove_folder);
    tcase_add_test(occupied, a_second_one_is_refused_and_the_first_goes_on);
    tcase_add_test(occupied, a_living_socket_without_lock_is_left_alone);
    tcase_add_test(occupied, a_dead_socket_file_is_replaced);
    tcase_add_test(occupied, a_lock_file_that_a_killed_one_left_is_no_obstacle);
    tcase_add_test(occupied, what_is_no_socket_stays);
    tcase_add_test(occupied, a_symbolic_link_at_the_lock_is_not_followed);
    tcase_add_test(occupied, a_missing_folder_and_a_long_path_are_named);
    tcase_add_test(occupied, of_many_that_start_at_once_over_a_dead_socket_one_listens);
    tcase_add_test(occupied, while_some_end_and_others_start_never_two_hold_it);
    suite_add_tcase(s, occupied);

    TCase *default_folder = tcase_create("default folder");
    tcase_add_test(default_folder, the_default_folder_is_made_for_its_user_alone);
    tcase_add_test(default_folder, a_default_folder_that_others_can_write_to_is_refused);
    tcase_add_test(default_folder, a_default_folder_of_somebody_else_is_refused);
    suite_add_tcase(s, default_folder);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
