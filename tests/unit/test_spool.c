/* Batches on disk: what outlives an exporter, and what is counted as lost. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "profctl/export/batch_add.h"
#include "profctl/export/delivery.h"
#include "profctl/export/spool.h"

enum { LIMIT_BYTES = 1 << 20 };

static char folder[64];
static struct failure failure;

static void make_folder(void)
{
    strcpy(folder, "/tmp/profd-test.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static struct spool *open_spool(uint64_t limit_bytes)
{
    struct spool *spool = NULL;

    ck_assert_msg(spool_open(folder, limit_bytes, &spool, &failure), "%s", failure.text);
    return spool;
}

static int add_batch(struct spool *spool, enum export_kind kind, uint64_t id, const char *text)
{
    struct export_batch batch = {
        .kind = kind, .id = id, .rows = 10, .first_minute_s = 60, .last_minute_s = 120
    };

    ck_assert_int_eq(export_batch_pack(&batch, text, strlen(text)), 0);
    int error = spool_add(spool, &batch);
    export_batch_free(&batch);
    return error;
}

/* The id of the oldest; 0: there is none. */
static uint64_t first_id(struct spool *spool)
{
    struct export_batch batch = { 0 };
    int error = spool_first(spool, &batch);

    export_batch_free(&batch);
    ck_assert(error == 0 || error == -ENOENT);
    return error == 0 ? batch.id : 0;
}

START_TEST(rows_come_out_as_they_went_in)
{
    struct spool *spool = open_spool(LIMIT_BYTES);
    struct export_batch batch = { 0 };
    char text[64] = "";

    ck_assert_int_eq(add_batch(spool, EXPORT_STACKS, 7, "some rows"), 0);
    ck_assert_int_eq(spool_first(spool, &batch), 0);
    ck_assert_int_eq(batch.kind, EXPORT_STACKS);
    ck_assert_uint_eq(batch.id, 7);
    ck_assert_uint_eq(batch.rows, 10);
    ck_assert_uint_eq(batch.first_minute_s, 60);
    ck_assert_uint_eq(batch.last_minute_s, 120);
    z_stream stream = { .next_in = batch.bytes.items,
                        .avail_in = (uInt)batch.bytes.count,
                        .next_out = (Bytef *)text,
                        .avail_out = sizeof(text) };
    ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    ck_assert_str_eq(text, "some rows");
    export_batch_free(&batch);
    spool_close(spool);
}
END_TEST

START_TEST(batches_outlive_the_exporter_in_their_order)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    for (uint64_t id = 1; id <= 20; id++)
        ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, id, "rows"), 0);
    spool_remove_first(spool);
    uint64_t bytes = spool_bytes(spool);
    spool_close(spool);
    spool = open_spool(LIMIT_BYTES);
    ck_assert_uint_eq(spool_bytes(spool), bytes);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 21, "rows"), 0);
    for (uint64_t id = 2; id <= 21; id++) {
        ck_assert_uint_eq(first_id(spool), id);
        spool_remove_first(spool);
    }
    ck_assert_uint_eq(first_id(spool), 0);
    ck_assert_uint_eq(spool_bytes(spool), 0);
    ck_assert_uint_eq(spool_losses(spool)->batches, 0);
    spool_close(spool);
}
END_TEST

START_TEST(the_oldest_go_when_there_is_no_room)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_STACKS, 1, "rows"), 0);
    uint64_t one = spool_bytes(spool);
    spool_close(spool);
    spool = open_spool(3 * one);
    for (uint64_t id = 2; id <= 5; id++)
        ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, id, "rows"), 0);
    ck_assert_uint_eq(first_id(spool), 3);
    ck_assert_uint_le(spool_bytes(spool), 3 * one);
    ck_assert_uint_eq(spool_losses(spool)->batches, 2);
    ck_assert_uint_eq(spool_losses(spool)->crowded_out, 2);
    ck_assert_uint_eq(spool_losses(spool)->rows, 20);
    ck_assert(spool_losses(spool)->has_lost_stacks);
    spool_close(spool);
}
END_TEST

START_TEST(a_batch_that_never_fits_is_lost_alone)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 1, "rows"), 0);
    spool_close(spool);
    spool = open_spool(10);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 2, "rows"), -EFBIG);
    ck_assert_uint_eq(first_id(spool), 1);
    ck_assert_uint_eq(spool_losses(spool)->rows, 10);
    spool_close(spool);
}
END_TEST

/* Cuts each file of the spool at each of its lengths, or turns one of its bits. */
static void damage_file(long cut, long flip)
{
    DIR *list = opendir(folder);
    struct dirent *entry;
    char path[512];

    while ((entry = readdir(list)) != NULL) {
        if (strstr(entry->d_name, ".batch") == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        int fd = open(path, O_RDWR);
        char byte;
        if (flip >= 0) {
            ck_assert_int_eq(pread(fd, &byte, 1, flip), 1);
            byte ^= 4;
            ck_assert_int_eq(pwrite(fd, &byte, 1, flip), 1);
        } else {
            ck_assert_int_eq(ftruncate(fd, cut), 0);
        }
        close(fd);
    }
    closedir(list);
}

START_TEST(a_batch_that_cannot_be_packed_is_counted)
{
    struct spool *spool = open_spool(LIMIT_BYTES);
    struct export_batch batch = { .kind = EXPORT_STACKS, .rows = 10 };
    const struct batch_body body = { .bytes = "", .error = -ENOMEM, .what = "stacks" };

    ck_assert_int_eq(batch_add(&batch, &body, spool), -ENOMEM);
    ck_assert_uint_eq(spool_losses(spool)->rows, 10);
    ck_assert_uint_eq(spool_losses(spool)->batches, 1);
    ck_assert_uint_eq(spool_losses(spool)->crowded_out, 0);
    ck_assert(spool_losses(spool)->has_lost_stacks);
    spool_close(spool);
}
END_TEST

START_TEST(a_torn_file_is_told_by_its_checksum)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 1, "rows"), 0);
    long bytes = (long)spool_bytes(spool);
    spool_remove_first(spool);
    for (long at = 0; at < 2 * bytes; at++) {
        ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 1, "rows"), 0);
        spool_close(spool);
        damage_file(at, at >= bytes ? at - bytes : -1);
        spool = open_spool(LIMIT_BYTES);
        ck_assert_msg(first_id(spool) == 0, "%s %ld", at < bytes ? "cut at" : "bit at", at);
        ck_assert_uint_eq(spool_losses(spool)->torn, 1);
        ck_assert_uint_eq(spool_bytes(spool), 0);
    }
    spool_close(spool);
}
END_TEST

/* Killed at any moment, what it had said is there, and in order. */
START_TEST(a_killed_exporter_leaves_whole_batches)
{
    for (int round = 0; round < 20; round++) {
        int told[2];
        ck_assert_int_eq(pipe(told), 0);
        pid_t child = fork();
        if (child == 0) {
            struct spool *spool = open_spool(UINT64_MAX);
            for (uint64_t id = 1;; id++)
                if (add_batch(spool, EXPORT_SAMPLES, id, "rows of some length") < 0 ||
                    write(told[1], &id, sizeof(id)) != sizeof(id))
                    _exit(1);
        }
        close(told[1]);
        uint64_t id = 0, last = 0;
        while (last < (uint64_t)(5 + round * 3) &&
               read(told[0], &last, sizeof(last)) == sizeof(last))
            continue;
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        waitpid(child, NULL, 0);
        while (read(told[0], &id, sizeof(id)) == sizeof(id))
            last = id;
        close(told[0]);
        struct spool *spool = open_spool(UINT64_MAX);
        for (id = 1; id <= last; id++) {
            ck_assert_uint_eq(first_id(spool), id);
            spool_remove_first(spool);
        }
        while (first_id(spool) != 0)
            spool_remove_first(spool);
        spool_close(spool);
    }
}
END_TEST

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

START_TEST(waits_grow_to_a_minute_and_differ)
{
    for (unsigned failures = 1; failures < 40; failures++) {
        uint64_t shortest = delivery_wait_ms(failures, 0);
        uint64_t longest = delivery_wait_ms(failures, UINT32_MAX);
        ck_assert_uint_ge(shortest, 500);
        ck_assert_uint_gt(longest, shortest);
        ck_assert_uint_le(longest, 60 * 1000);
        ck_assert_uint_ge(delivery_wait_ms(failures + 1, 0), shortest);
    }
    ck_assert_uint_ge(delivery_wait_ms(1000, 0), 30 * 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.spool");
    TCase *claims = tcase_create("claims");
    SRunner *runner;
    int failed;

    tcase_add_test(claims, rows_come_out_as_they_went_in);
    tcase_add_test(claims, batches_outlive_the_exporter_in_their_order);
    tcase_add_test(claims, the_oldest_go_when_there_is_no_room);
    tcase_add_test(claims, a_batch_that_never_fits_is_lost_alone);
    tcase_add_test(claims, a_batch_that_cannot_be_packed_is_counted);
    tcase_add_test(claims, a_torn_file_is_told_by_its_checksum);
    tcase_add_test(claims, a_killed_exporter_leaves_whole_batches);
    tcase_add_test(claims, one_exporter_has_a_spool_at_a_time);
    tcase_add_test(claims, a_folder_that_cannot_be_made_is_told);
    tcase_add_test(claims, a_folder_in_the_place_of_a_new_batch_is_named);
    tcase_add_test(claims, a_folder_that_is_removed_is_made_again);
    tcase_add_test(claims, a_folder_that_is_removed_is_nobody_elses);
    tcase_add_test(claims, what_is_no_batch_is_passed_over_and_stays);
    tcase_add_test(claims, what_takes_the_place_of_a_batch_is_passed_over_and_stays);
    tcase_add_test(claims, a_name_that_is_taken_loses_no_batch);
    tcase_add_test(claims, waits_grow_to_a_minute_and_differ);
    tcase_add_checked_fixture(claims, make_folder, remove_folder);
    suite_add_tcase(suite, claims);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
