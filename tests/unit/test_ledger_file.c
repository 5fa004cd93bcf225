#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/time_units.h"
#include "ipc/ledger_file.h"
#include "ipc/ledger_memfd.h"
#include "ipc/protocol_version.h"
#include "tests/unit/run_suite.h"

#define LIMIT (UINT64_C(64) << 20)

static char folder[64], socket_path[96];
static struct lease_ledger ledger;

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-unit.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(socket_path, sizeof(socket_path), "%s/s", folder);
}

static void tear_down(void)
{
    ledger_file_end(socket_path, &ledger);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* What the profd that starts now finds, and whether it adopts it. */
static enum ledger_past past_now(void)
{
    enum ledger_past past;
    int fd;

    ck_assert_int_eq(ledger_file_make(socket_path, LIMIT, LEDGER_IN_FILE, &ledger, &fd, &past), 0);
    close(fd);
    return past;
}

static bool is_adopted_now(void)
{
    return past_now() == LEDGER_PAST_ADOPTED;
}

START_TEST(what_a_killed_profd_left_is_adopted)
{
    ck_assert(!is_adopted_now());
    uint64_t identity = ledger.header->identity;
    lease_ledger_close(&ledger);
    ck_assert(is_adopted_now());
    ck_assert_uint_eq(ledger.header->identity, identity);
}
END_TEST

START_TEST(a_ledger_tells_which_protocol_its_profd_understands)
{
    ck_assert_uint_eq(ledger_file_protocol_minor(socket_path), 0);
    ck_assert(!is_adopted_now());
    ck_assert_uint_eq(ledger_file_protocol_minor(socket_path), PROTOCOL_MINOR);
    atomic_store(&ledger.header->protocol_minor, 0); /* an older profd made it */
    lease_ledger_close(&ledger);
    ck_assert_uint_eq(ledger_file_protocol_minor(socket_path), 0);
    ck_assert(is_adopted_now());
    ck_assert_uint_eq(ledger_file_protocol_minor(socket_path), PROTOCOL_MINOR);
}
END_TEST

/* What a child that opens the file sees of the process that claimed it. */
static pid_t seen_by_child(void)
{
    struct lease_ledger theirs;
    pid_t seen = -1;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int error = ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &theirs);
        seen = error < 0 ? error : theirs.seen_profd_pid;
        _exit(write(ends[1], &seen, sizeof(seen)) != sizeof(seen));
    }
    ck_assert_int_eq(read(ends[0], &seen, sizeof(seen)), sizeof(seen));
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
    return seen;
}

START_TEST(one_that_is_cut_or_spoilt_is_made_again)
{
    char path[128];

    snprintf(path, sizeof(path), "%s" LEDGER_FILE_SUFFIX, socket_path);
    ck_assert_int_eq(past_now(), LEDGER_PAST_NONE);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(truncate(path, LEASE_LEDGER_HEADER_BYTES), 0);
    ck_assert_int_eq(past_now(), LEDGER_PAST_DAMAGED);
    ledger.header->magic ^= 1;
    lease_ledger_close(&ledger);
    ck_assert_int_eq(past_now(), LEDGER_PAST_DAMAGED);
    ledger.header->boot[0] ^= 1;
    lease_ledger_close(&ledger);
    ck_assert_int_eq(past_now(), LEDGER_PAST_ELSEWHERE);
    ledger_file_leave(&ledger, clock_monotonic_ns());
    ck_assert_int_eq(past_now(), LEDGER_PAST_OVER);
}
END_TEST

START_TEST(who_opens_it_learns_who_claimed_it)
{
    enum ledger_past past;
    int fd;

    ck_assert_int_eq(ledger_file_make(socket_path, LIMIT, LEDGER_IN_FILE, &ledger, &fd, &past), 0);
    ck_assert_int_eq(seen_by_child(), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ledger_file_claim(&ledger, fd), 0);
        ck_assert_int_eq(seen_by_child(), getpid());
        close(dup(fd)); /* the kernel forgets */
        ck_assert_int_eq(seen_by_child(), 0);
    }
    close(fd);
}
END_TEST

START_TEST(what_is_over_is_not_adopted)
{
    ck_assert(!is_adopted_now());
    atomic_store(&ledger.header->is_over, 1);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &ledger), -ESTALE);
    ck_assert(!is_adopted_now());
}
END_TEST

START_TEST(what_was_left_is_adopted_in_time)
{
    ck_assert(!is_adopted_now());
    ledger_file_leave(&ledger, clock_monotonic_ns() + UINT64_C(60) * NS_PER_S);
    ck_assert_ptr_null(ledger.header);
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &ledger), 0);
    lease_ledger_close(&ledger);
    ck_assert(is_adopted_now());
    ck_assert_uint_eq(atomic_load(&ledger.header->left_until_ns), 0);
}
END_TEST

/* Who has mapped it finds out by itself. */
START_TEST(what_was_left_is_over_when_its_time_is)
{
    struct lease_ledger theirs;

    ck_assert(!is_adopted_now());
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &theirs), 0);
    ck_assert(!lease_ledger_has_ended(&theirs));
    ledger_file_leave(&ledger, clock_monotonic_ns());
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &ledger), -ESTALE);
    ck_assert(lease_ledger_has_ended(&theirs));
    ck_assert(!is_adopted_now());
    ck_assert(lease_ledger_has_ended(&theirs));
    lease_ledger_close(&theirs);
}
END_TEST

START_TEST(process_ids_of_another_boot_mean_nothing)
{
    ck_assert(!is_adopted_now());
    ledger.header->boot[0] ^= 1;
    lease_ledger_close(&ledger);
    ck_assert(!is_adopted_now());
}
END_TEST

START_TEST(process_ids_of_another_namespace_mean_nothing)
{
    ck_assert(!is_adopted_now());
    ledger.header->pid_namespace ^= 1;
    lease_ledger_close(&ledger);
    ck_assert(!is_adopted_now());
}
END_TEST

/* A sealed ledger, its descriptor in *FD; nothing of it is mapped here. */
static void make_sealed(int *fd)
{
    enum ledger_past past;

    ck_assert_int_eq(ledger_file_make(socket_path, LIMIT, LEDGER_SEALED, &ledger, fd, &past), 0);
    ck_assert_int_ne(past, LEDGER_PAST_ADOPTED);
}

START_TEST(a_sealed_one_cannot_be_truncated)
{
    int fd;

    make_sealed(&fd);
    ck_assert(ledger_memfd_is_sealed(fd));
    ck_assert_int_eq(ftruncate(fd, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, 4 * LIMIT), 0);
    close(fd);
}
END_TEST

START_TEST(one_in_a_file_is_not_sealed)
{
    enum ledger_past past;
    int fd;

    ck_assert_int_eq(ledger_file_make(socket_path, LIMIT, LEDGER_IN_FILE, &ledger, &fd, &past), 0);
    ck_assert(!ledger_memfd_is_sealed(fd));
    close(fd);
}
END_TEST

START_TEST(a_sealed_one_is_adopted_from_its_holder)
{
    int held_fd;

    make_sealed(&held_fd);
    uint64_t identity = ledger.header->identity;
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_refer(socket_path, getpid(), held_fd), 0);
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &ledger), 0);
    lease_ledger_close(&ledger);
    ck_assert(is_adopted_now());
    ck_assert_uint_eq(ledger.header->identity, identity);
    close(held_fd);
}
END_TEST

/* Others may have the number by now, and another ledger under it. */
START_TEST(a_sealed_one_is_lost_with_its_holder)
{
    enum ledger_past past;
    int held_fd, other_fd;

    make_sealed(&held_fd);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_refer(socket_path, getpid(), held_fd), 0);
    close(held_fd);
    ck_assert_int_eq(ledger_file_open(socket_path, LEASE_LEDGER_MAX_UNITS, &ledger), -ESTALE);
    ck_assert_int_eq(ledger_file_make(socket_path, LIMIT, LEDGER_SEALED, &ledger, &other_fd, &past),
                     0);
    ck_assert_int_eq(past, LEDGER_PAST_LOST);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_refer(socket_path, getpid(), other_fd), 0);
    ck_assert_int_eq(past_now(), LEDGER_PAST_ADOPTED);
    close(other_fd);
}
END_TEST

START_TEST(the_number_of_its_holder_may_be_of_another_ledger)
{
    int held_fd, other_fd;

    make_sealed(&held_fd);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_refer(socket_path, getpid(), held_fd), 0);
    char kept[192], path[160];
    snprintf(path, sizeof(path), "%s" LEDGER_FILE_SUFFIX, socket_path);
    snprintf(kept, sizeof(kept), "%s.kept", path);
    ck_assert_int_eq(rename(path, kept), 0);
    make_sealed(&other_fd);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(dup2(other_fd, held_fd), held_fd);
    ck_assert_int_eq(rename(kept, path), 0);
    ck_assert_int_eq(past_now(), LEDGER_PAST_LOST);
    close(held_fd);
    close(other_fd);
}
END_TEST

/* Somebody who maps the ledger knows what is in it, and would like to truncate the next one. */
START_TEST(a_copy_that_is_not_sealed_is_not_adopted)
{
    int held_fd;

    make_sealed(&held_fd);
    size_t bytes = (size_t)lseek(held_fd, 0, SEEK_END);
    lease_ledger_close(&ledger);
    ck_assert_int_eq(ledger_file_refer(socket_path, getpid(), held_fd), 0);
    int copy_fd = ledger_memfd_create();
    ck_assert_int_ge(copy_fd, 0);
    ck_assert_int_eq(lseek(held_fd, 0, SEEK_SET), 0);
    ck_assert_int_eq(copy_file_range(held_fd, NULL, copy_fd, NULL, bytes, 0), bytes);
    ck_assert_int_eq(dup2(copy_fd, held_fd), held_fd);
    ck_assert_int_eq(past_now(), LEDGER_PAST_LOST);
    close(held_fd);
    close(copy_fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ipc.ledger_file");
    TCase *tests = tcase_create("file");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, what_a_killed_profd_left_is_adopted);
    tcase_add_test(tests, a_ledger_tells_which_protocol_its_profd_understands);
    tcase_add_test(tests, one_that_is_cut_or_spoilt_is_made_again);
    tcase_add_test(tests, who_opens_it_learns_who_claimed_it);
    tcase_add_test(tests, what_is_over_is_not_adopted);
    tcase_add_test(tests, what_was_left_is_adopted_in_time);
    tcase_add_test(tests, what_was_left_is_over_when_its_time_is);
    tcase_add_test(tests, process_ids_of_another_boot_mean_nothing);
    tcase_add_test(tests, process_ids_of_another_namespace_mean_nothing);
    tcase_add_test(tests, a_sealed_one_cannot_be_truncated);
    tcase_add_test(tests, one_in_a_file_is_not_sealed);
    tcase_add_test(tests, a_sealed_one_is_adopted_from_its_holder);
    tcase_add_test(tests, a_sealed_one_is_lost_with_its_holder);
    tcase_add_test(tests, the_number_of_its_holder_may_be_of_another_ledger);
    tcase_add_test(tests, a_copy_that_is_not_sealed_is_not_adopted);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
