/* daemon.capture.write_behind: pieces in their order, on another thread, and errors. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/capture/write_behind.h"

enum { PIECES = 1000 };

/* What is written, and where. */
static struct sink {
    char bytes[PIECES];
    size_t count, calls;
    size_t fails_at; /* the call that does; 0: none */
    uv_thread_t thread;
    uv_sem_t may_write; /* where the test holds it up */
    bool is_held;
} sink;

static struct write_behind behind;

static int write_to_sink(void *context, const char *bytes, size_t count)
{
    struct sink *at = context;

    if (at->is_held)
        uv_sem_wait(&at->may_write);
    at->thread = uv_thread_self();
    if (++at->calls == at->fails_at)
        return -ENOSPC;
    memcpy(at->bytes + at->count, bytes, count);
    at->count += count;
    return 0;
}

static void set_up(void)
{
    memset(&sink, 0, sizeof(sink));
    ck_assert_int_eq(uv_sem_init(&sink.may_write, 0), 0);
    ck_assert_int_eq(write_behind_begin(&behind, write_to_sink, &sink), 0);
    ck_assert(behind.has_thread);
}

static void tear_down(void)
{
    uv_sem_destroy(&sink.may_write);
}

START_TEST(pieces_are_written_in_order_on_another_thread)
{
    char pieces[2];

    for (size_t i = 0; i < PIECES; i++) {
        pieces[i % 2] = (char)(i % 100); /* that of the last but one, which is written */
        ck_assert_int_eq(write_behind_give(&behind, &pieces[i % 2], 1), 0);
    }
    ck_assert_int_eq(write_behind_end(&behind), 0);
    ck_assert_uint_eq(sink.count, PIECES);
    for (size_t i = 0; i < PIECES; i++)
        ck_assert_int_eq(sink.bytes[i], (char)(i % 100));
    uv_thread_t self = uv_thread_self();
    ck_assert(!uv_thread_equal(&sink.thread, &self));
}
END_TEST

START_TEST(who_gives_goes_on_while_it_is_written)
{
    sink.is_held = true;
    ck_assert_int_eq(write_behind_give(&behind, "a", 1), 0);
    uv_sem_post(&sink.may_write); /* it would wait for ever if it were written here */
    ck_assert_int_eq(write_behind_give(&behind, "b", 1), 0);
    uv_sem_post(&sink.may_write);
    ck_assert_int_eq(write_behind_end(&behind), 0);
    ck_assert_mem_eq(sink.bytes, "ab", 2);
}
END_TEST

START_TEST(after_an_error_nothing_is_written)
{
    sink.fails_at = 2;
    ck_assert_int_eq(write_behind_give(&behind, "a", 1), 0);
    ck_assert_int_eq(write_behind_give(&behind, "b", 1), 0);
    ck_assert_int_eq(write_behind_give(&behind, "c", 1), -ENOSPC);
    ck_assert_int_eq(write_behind_give(&behind, "d", 1), -ENOSPC);
    ck_assert_int_eq(write_behind_end(&behind), -ENOSPC);
    ck_assert_uint_eq(sink.calls, 2);
}
END_TEST

START_TEST(the_last_error_is_told_at_the_end)
{
    sink.fails_at = 1;
    ck_assert_int_eq(write_behind_give(&behind, "a", 1), 0);
    ck_assert_int_eq(write_behind_end(&behind), -ENOSPC);
}
END_TEST

START_TEST(without_a_thread_it_is_written_at_once)
{
    ck_assert_int_eq(write_behind_end(&behind), 0);
    ck_assert_int_eq(write_behind_begin(&behind, write_to_sink, &sink), 0);
    ck_assert_int_eq(write_behind_end(&behind), 0);
    struct write_behind alone = { .write = write_to_sink, .context = &sink };
    ck_assert_int_eq(uv_sem_init(&alone.is_given, 0), 0);
    ck_assert_int_eq(uv_sem_init(&alone.is_written, 1), 0);
    ck_assert_int_eq(write_behind_give(&alone, "a", 1), 0);
    ck_assert_uint_eq(sink.count, 1);
    sink.fails_at = 2;
    ck_assert_int_eq(write_behind_give(&alone, "b", 1), -ENOSPC);
    ck_assert_int_eq(write_behind_end(&alone), -ENOSPC);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.capture.write_behind");
    TCase *all = tcase_create("write_behind");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, pieces_are_written_in_order_on_another_thread);
    tcase_add_test(all, who_gives_goes_on_while_it_is_written);
    tcase_add_test(all, after_an_error_nothing_is_written);
    tcase_add_test(all, the_last_error_is_told_at_the_end);
    tcase_add_test(all, without_a_thread_it_is_written_at_once);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
