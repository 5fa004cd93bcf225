/* daemon.left_files: what earlier profds left in a folder made here. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "daemon/keeping/left_files.h"
#include "daemon/session.h"
#include "daemon/session_file.h"
#include "ipc/ledger_file.h"
#include "ipc/socket_file.h"
#include "tests/unit/run_suite.h"

static char folder[64], path[80];
static struct left_files files;
static int keeper_fd;

static bool is_there(const char *ending)
{
    char file[128];

    snprintf(file, sizeof(file), "%s%s", path, ending);
    return access(file, F_OK) == 0;
}

static int listen_as_keeper(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s.keeper", path);
    (void)unlink(address.sun_path);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* profd left its session until UNTIL_NS. */
static void leave(uint64_t until_ns)
{
    const struct session session = { .generation = 7 };
    struct lease_ledger ledger;
    enum ledger_past past;
    int fd;

    ck_assert_int_eq(ledger_file_make(path, UINT64_C(64) * LEASE_UNIT_BYTES, LEDGER_IN_FILE,
                                      &ledger, &fd, &past),
                     0);
    close(fd);
    ledger_file_leave(&ledger, until_ns);
    ck_assert_int_eq(session_file_write(path, &session), 0);
}

static void set_up(void)
{
    clock_initialize();
    strcpy(folder, "/tmp/profd-left.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/socket", folder);
    keeper_fd = listen_as_keeper();
    left_files_note(&files, path);
}

static void tear_down(void)
{
    char command[128];

    close(keeper_fd);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(nothing_stays_of_a_session_that_is_over)
{
    leave(clock_monotonic_ns());
    left_files_remove(&files);
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_int_eq(mkdir(folder, 0700), 0); /* to be taken down */
}
END_TEST

START_TEST(a_session_that_may_go_on_stays)
{
    leave(clock_monotonic_ns() + UINT64_C(60) * NS_PER_S);
    left_files_remove(&files);
    ck_assert(!is_there(".keeper"));
    ck_assert(is_there(".leases"));
    ck_assert(is_there(".session"));
    ck_assert(!is_there(".lock"));
}
END_TEST

START_TEST(all_is_a_living_profd_s)
{
    leave(clock_monotonic_ns());
    int lock_fd = socket_file_lock(path);
    ck_assert_int_ge(lock_fd, 0);
    ck_assert_int_eq(socket_file_lock(path), -EADDRINUSE);
    left_files_remove(&files);
    ck_assert(is_there(".keeper"));
    ck_assert(is_there(".leases"));
    ck_assert(is_there(".session"));
    socket_file_unlock(path, lock_fd);
}
END_TEST

START_TEST(the_socket_of_another_keeper_stays)
{
    int other_fd = listen_as_keeper();
    left_files_remove(&files);
    ck_assert(is_there(".keeper"));
    close(other_fd);
}
END_TEST

START_TEST(without_a_folder_there_is_nothing_to_do)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    left_files_remove(&files);
    left_files_remove(&(struct left_files){ 0 });
    ck_assert_int_eq(access(folder, F_OK), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.left_files");
    TCase *all = tcase_create("left_files");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, nothing_stays_of_a_session_that_is_over);
    tcase_add_test(all, a_session_that_may_go_on_stays);
    tcase_add_test(all, all_is_a_living_profd_s);
    tcase_add_test(all, the_socket_of_another_keeper_stays);
    tcase_add_test(all, without_a_folder_there_is_nothing_to_do);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
