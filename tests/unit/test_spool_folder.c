/* profctl.spool: its folder, and what others do there. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/export/spool.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/spool_scene.h"

START_TEST(one_exporter_has_a_spool_at_a_time)
{
    struct spool *spool = open_spool(LIMIT_BYTES), *other = NULL;

    ck_assert(!spool_open(folder, LIMIT_BYTES, &other, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "--spool"));
    spool_close(spool);
    spool_close(open_spool(LIMIT_BYTES));
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_told)
{
    struct spool *spool = NULL;

    ck_assert(!spool_open("/proc/none/spool", LIMIT_BYTES, &spool, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "/proc/none/spool"));
}
END_TEST

START_TEST(a_folder_in_the_place_of_a_new_batch_is_named)
{
    struct spool *spool = NULL;
    char path[128];

    snprintf(path, sizeof(path), "%s/new.batch", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert(!spool_open(folder, LIMIT_BYTES, &spool, &failure));
    ck_assert_msg(strstr(failure.text, path) != NULL, "%s", failure.text);
    ck_assert_ptr_nonnull(strstr(failure.text, "remove it"));
    ck_assert_ptr_null(strstr(failure.text, "lock"));
}
END_TEST

/* A folder, or a FIFO, with the name that the next batch would have. */
static void make_nonsense(uint64_t number, bool is_folder)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%016" PRIx64 ".batch", folder, number);
    ck_assert_int_eq(is_folder ? mkdir(path, 0700) : mkfifo(path, 0600), 0);
}

static bool is_there(uint64_t number)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%016" PRIx64 ".batch", folder, number);
    return access(path, F_OK) == 0;
}

START_TEST(a_folder_that_is_removed_is_made_again)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_STACKS, 1, "rows"), 0);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 2, "rows"), 0);
    remove_folder();
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 3, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 3);
    ck_assert_uint_eq(spool_losses(spool)->batches, 0);
    ck_assert_uint_eq(spool_losses(spool)->torn, 2);
    ck_assert(spool_losses(spool)->has_lost_stacks);
    spool_close(spool);
    spool = open_spool(LIMIT_BYTES);
    ck_assert_uint_eq(first_id(spool), 3);
    spool_close(spool);
}
END_TEST

START_TEST(a_folder_that_is_removed_is_nobody_elses)
{
    struct spool *spool = open_spool(LIMIT_BYTES), *other = NULL;

    remove_folder();
    ck_assert_int_eq(spool_keep_folder(spool), 0);
    ck_assert(!spool_open(folder, LIMIT_BYTES, &other, &failure));
    spool_close(spool);
}
END_TEST

START_TEST(what_is_no_batch_is_passed_over_and_stays)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    spool_close(spool);
    make_nonsense(0, true);
    make_nonsense(1, false);
    make_nonsense(2, true);
    spool = open_spool(LIMIT_BYTES);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 7, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 7);
    ck_assert_uint_eq(spool_losses(spool)->torn, 3);
    ck_assert(is_there(0) && is_there(1) && is_there(2));
    spool_close(spool);
}
END_TEST

START_TEST(what_takes_the_place_of_a_batch_is_passed_over_and_stays)
{
    struct spool *spool = open_spool(LIMIT_BYTES);
    char path[128];

    for (uint64_t id = 1; id <= 3; id++)
        ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, id, "rows"), 0);
    uint64_t bytes = spool_bytes(spool) / 3;
    for (uint64_t number = 0; number < 2; number++) {
        snprintf(path, sizeof(path), "%s/%016" PRIx64 ".batch", folder, number);
        ck_assert_int_eq(unlink(path), 0);
        make_nonsense(number, number == 0);
    }
    ck_assert_uint_eq(first_id(spool), 3);
    ck_assert_uint_eq(spool_losses(spool)->torn, 2);
    ck_assert_uint_eq(spool_bytes(spool), bytes);
    ck_assert(is_there(0) && is_there(1));
    spool_close(spool);
}
END_TEST

START_TEST(a_name_that_is_taken_loses_no_batch)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    make_nonsense(0, true);
    make_nonsense(1, true);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 7, "rows"), 0);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 8, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 7);
    ck_assert_uint_eq(spool_losses(spool)->torn, 0);
    spool_close(spool);
}
END_TEST

static void expect_refused_in(const char *directory, const char *what)
{
    struct spool *spool = NULL;

    ck_assert(!spool_open(directory, LIMIT_BYTES, &spool, &failure));
    ck_assert_msg(strstr(failure.text, what) != NULL, "%s", failure.text);
    ck_assert_ptr_null(strchr(failure.text, '\n'));
}

static void expect_refused(const char *what)
{
    expect_refused_in(folder, what);
}

/* Only root can give a folder away, and only root has the root directory. */
START_TEST(a_folder_of_another_user_is_refused)
{
    bool is_root = geteuid() == 0;

    if (is_root)
        ck_assert_int_eq(chown(folder, 1, (gid_t)-1), 0);
    expect_refused_in(
        is_root ? folder : "/",
        "belongs to another user; give the folder to this one, or another with --spool");
}
END_TEST

START_TEST(a_folder_that_others_may_write_to_is_refused)
{
    static const mode_t modes[] = { 0702, 0720, 01777 };

    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        ck_assert_int_eq(chmod(folder, modes[i]), 0);
        expect_refused("others may write to it; run chmod 700 ");
    }
    ck_assert_int_eq(chmod(folder, 0755), 0);
    spool_close(open_spool(LIMIT_BYTES));
}
END_TEST

/* Within the folder, as somebody who once could write there may have left it. */
static void make_link(const char *name, const char *target)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

START_TEST(no_batch_is_written_through_a_link)
{
    struct spool *spool = open_spool(LIMIT_BYTES);
    char path[128];

    make_link("new.batch", "elsewhere");
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 7, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 7);
    snprintf(path, sizeof(path), "%s/elsewhere", folder);
    ck_assert_int_lt(access(path, F_OK), 0);
    spool_close(spool);
}
END_TEST

START_TEST(a_lock_that_is_a_link_or_a_fifo_is_refused)
{
    char path[128];

    make_link("lock", "elsewhere");
    expect_refused("/lock is not a file");
    ck_assert_ptr_null(strstr(failure.text, "new.batch"));
    snprintf(path, sizeof(path), "%s/elsewhere", folder);
    ck_assert_int_lt(access(path, F_OK), 0);
    snprintf(path, sizeof(path), "%s/lock", folder);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_refused("/lock is not a file");
}
END_TEST

START_TEST(links_in_the_path_that_lead_nowhere_are_no_fault_of_the_lock)
{
    char path[128];

    make_link("circle", "circle");
    snprintf(path, sizeof(path), "%s/circle/spool", folder);
    expect_refused_in(path, "symbolic links");
    ck_assert_ptr_null(strstr(failure.text, "lock"));
}
END_TEST

START_TEST(a_file_that_is_too_large_is_passed_over_and_stays)
{
    struct spool *spool = open_spool(LIMIT_BYTES);
    char path[128];

    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 1, "rows"), 0);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 2, "rows"), 0);
    uint64_t bytes = spool_bytes(spool) / 2;
    spool_close(spool);
    snprintf(path, sizeof(path), "%s/%016x.batch", folder, 0);
    ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
    spool = open_spool(LIMIT_BYTES);
    ck_assert_uint_eq(spool_losses(spool)->torn, 1);
    ck_assert_uint_eq(spool_bytes(spool), bytes);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 3, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 2);
    ck_assert(is_there(0));
    spool_close(spool);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.spool_folder");
    TCase *claims = tcase_create("claims");
    tcase_add_test(claims, one_exporter_has_a_spool_at_a_time);
    tcase_add_test(claims, a_folder_that_cannot_be_made_is_told);
    tcase_add_test(claims, a_folder_in_the_place_of_a_new_batch_is_named);
    tcase_add_test(claims, a_folder_that_is_removed_is_made_again);
    tcase_add_test(claims, a_folder_that_is_removed_is_nobody_elses);
    tcase_add_test(claims, what_is_no_batch_is_passed_over_and_stays);
    tcase_add_test(claims, what_takes_the_place_of_a_batch_is_passed_over_and_stays);
    tcase_add_test(claims, a_name_that_is_taken_loses_no_batch);
    tcase_add_test(claims, a_folder_of_another_user_is_refused);
    tcase_add_test(claims, a_folder_that_others_may_write_to_is_refused);
    tcase_add_test(claims, no_batch_is_written_through_a_link);
    tcase_add_test(claims, a_lock_that_is_a_link_or_a_fifo_is_refused);
    tcase_add_test(claims, links_in_the_path_that_lead_nowhere_are_no_fault_of_the_lock);
    tcase_add_test(claims, a_file_that_is_too_large_is_passed_over_and_stays);
    tcase_add_checked_fixture(claims, make_folder, remove_folder);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
