/* ipc.socket_file: who listens, and what is done about files that are there already. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "ipc/socket.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/socket_file_scene.h"

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

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.socket_file");
    TCase *listening = tcase_create("listening");
    tcase_add_checked_fixture(listening, make_folder, remove_folder);
    tcase_add_test(listening, any_user_who_reaches_the_file_may_connect);
    tcase_add_test(listening, closing_leaves_nothing_behind);
    tcase_add_test(listening, closing_spares_a_file_that_somebody_else_made);
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
    return s;
}

int main(void)
{
    return run_suite(suite());
}
