/* Batches on disk: what outlives an exporter, and what is counted as lost. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "profctl/export/batch_add.h"
#include "profctl/export/delivery.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/spool_scene.h"

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
        while (last < 5 + (uint64_t)round * 3 && read(told[0], &last, sizeof(last)) == sizeof(last))
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

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that is full keeps nothing from the server. */
START_TEST(what_cannot_be_written_waits_in_memory)
{
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_STACKS, 1, "on disk"), 0);
    ck_assert_ptr_ne(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    limit_files(0);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 2, "in memory"), 0);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 3, "in memory"), 0);
    limit_files(RLIM_INFINITY);
    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 4, "on disk"), 0);
    ck_assert_uint_eq(spool_losses(spool)->batches, 0);
    for (uint64_t id = 1; id <= 2; id++) {
        ck_assert_uint_eq(first_id(spool), id);
        spool_remove_first(spool);
    }
    spool_close(spool); /* where there is room again */
    spool = open_spool(LIMIT_BYTES);
    for (uint64_t id = 3; id <= 4; id++) {
        ck_assert_uint_eq(first_id(spool), id);
        spool_remove_first(spool);
    }
    spool_close(spool);
}
END_TEST

START_TEST(memory_has_no_more_than_the_spool_may_have)
{
    struct spool *spool = open_spool(512);
    struct spool_losses *losses = spool_losses(spool);

    ck_assert_ptr_ne(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    limit_files(0);
    for (uint64_t id = 1; id <= 20; id++)
        ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, id, "in memory"), 0);
    ck_assert_uint_gt(losses->crowded_out, 0);
    ck_assert_uint_eq(first_id(spool), losses->crowded_out + 1);
    ck_assert_uint_le(spool_bytes(spool), 512);
    ck_assert_uint_eq(spool_drop_from(spool, 0), 20 - losses->crowded_out);
    spool_close(spool);
}
END_TEST

/* Whoever reads that can remove it before the rows are sent again. */
START_TEST(a_batch_that_cannot_be_removed_is_told)
{
    char said[512] = "";
    struct spool *spool = open_spool(LIMIT_BYTES);

    ck_assert_int_eq(add_batch(spool, EXPORT_SAMPLES, 1, "rows"), 0);
    ck_assert_int_eq(fchdir(spool_directory(spool)), 0);
    ck_assert_int_eq(rename("0000000000000000.batch", "elsewhere"), 0);
    ck_assert_int_eq(mkdir("0000000000000000.batch", 0700), 0);
    ck_assert_ptr_nonnull(freopen("said", "w+", stderr));
    spool_remove_first(spool);
    rewind(stderr);
    ck_assert_ptr_nonnull(fgets(said, sizeof(said), stderr));
    ck_assert_ptr_nonnull(strstr(said, "cannot remove the batch"));
    spool_close(spool);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.spool");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, rows_come_out_as_they_went_in);
    tcase_add_test(claims, batches_outlive_the_exporter_in_their_order);
    tcase_add_test(claims, the_oldest_go_when_there_is_no_room);
    tcase_add_test(claims, a_batch_that_never_fits_is_lost_alone);
    tcase_add_test(claims, a_batch_that_cannot_be_packed_is_counted);
    tcase_add_test(claims, a_torn_file_is_told_by_its_checksum);
    tcase_add_test(claims, a_killed_exporter_leaves_whole_batches);
    tcase_add_test(claims, waits_grow_to_a_minute_and_differ);
    tcase_add_test(claims, a_batch_that_cannot_be_removed_is_told);
    tcase_add_test(claims, what_cannot_be_written_waits_in_memory);
    tcase_add_test(claims, memory_has_no_more_than_the_spool_may_have);
    tcase_add_checked_fixture(claims, make_folder, remove_folder);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
