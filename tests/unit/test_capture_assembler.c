/* daemon.capture_assembler, with daemon/programs/output_pump.h in it */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/capture/capture_assembler.h"
#include "tests/unit/run_suite.h"

static uv_loop_t loop;
static struct capture_assembler *assembler;
static char written[64]; /* the letters of the pieces that were told, in order */
static int failures, last_error, closed;
static size_t close_after;
static uint64_t last_end;
static bool stays_open; /* after a failure */

static void on_written(void *piece, uint64_t end, void *owner)
{
    (void)owner;
    ck_assert_uint_gt(end, last_end);
    last_end = end;
    written[strlen(written)] = piece != NULL ? *(char *)piece : '-';
    free(piece);
    if (strlen(written) == close_after)
        capture_assembler_close(assembler);
}

static void on_failed(int error, void *owner)
{
    (void)owner;
    failures++;
    last_error = error;
    if (!stays_open)
        capture_assembler_close(assembler);
}

static void on_closed(void *owner)
{
    (void)owner;
    closed++;
}

static const struct capture_assembler_events events = { on_written, on_failed, on_closed };

static void set_up(void)
{
    memset(written, 0, sizeof(written));
    failures = last_error = closed = 0;
    last_end = 0;
    stays_open = false;
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(closed, 1);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void begin_assembler(int output_fd)
{
    ck_assert_int_eq(capture_assembler_create(&loop, output_fd, &events, NULL, &assembler), 0);
}

/* A descriptor holding TEXT COUNT times. */
static int file_of(const char *text, size_t count)
{
    int fd = memfd_create("piece", MFD_CLOEXEC);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    return fd;
}

static int add_piece(char letter, const char *text, size_t count, bool is_element)
{
    char *piece = malloc(1);
    *piece = letter;
    return capture_assembler_add(assembler, file_of(text, count), strlen(text) * count, is_element,
                                 piece);
}

static void add_document(void)
{
    ck_assert_int_eq(add_piece('h', "[", 1, false), 0);
    ck_assert_int_eq(add_piece('1', "one", 1, true), 0);
    ck_assert_int_eq(add_piece('2', "two", 1, true), 0);
    ck_assert_int_eq(add_piece('3', "three", 1, true), 0);
    ck_assert_int_eq(add_piece('t', "]", 1, false), 0);
    close_after = 5;
}

START_TEST(elements_are_separated_by_commas)
{
    char text[64] = { 0 };
    int fd = memfd_create("output", MFD_CLOEXEC);

    begin_assembler(dup(fd));
    add_document();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(written, "h123t");
    ck_assert_int_gt(pread(fd, text, sizeof(text), 0), 0);
    ck_assert_str_eq(text, "[one,two,three]");
    close(fd);
}
END_TEST

START_TEST(a_file_opened_for_appending_is_appended_to)
{
    char path[] = "/tmp/profd-test-XXXXXX", text[64] = { 0 };
    int fd = mkstemp(path);

    ck_assert_int_eq(write(fd, "old ", 4), 4);
    begin_assembler(open(path, O_WRONLY | O_APPEND));
    unlink(path);
    add_document();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_gt(pread(fd, text, sizeof(text), 0), 0);
    ck_assert_str_eq(text, "old [one,two,three]");
    close(fd);
}
END_TEST

/* Reads a pipe on a worker thread of the loop, so that the assembler finds it full again and again.
 */
static void drain_pipe(uv_work_t *work)
{
    char buffer[1000];
    ssize_t got;
    int *state = work->data; /* descriptor, bytes, bytes that are wrong */

    while ((got = read(state[0], buffer, sizeof(buffer))) > 0) {
        for (ssize_t i = 0; i < got; i++)
            state[2] += buffer[i] != "0123456789"[(state[1] + i) % 10];
        state[1] += (int)got;
    }
}

START_TEST(a_pipe_gets_every_byte_in_order)
{
    int ends[2], state[3] = { 0 };
    uv_work_t reader = { .data = state };

    ck_assert_int_eq(pipe(ends), 0);
    state[0] = ends[0];
    begin_assembler(ends[1]);
    ck_assert_int_eq(add_piece('a', "0123456789", 100000, false), 0);
    close_after = 1;
    ck_assert_int_eq(uv_queue_work(&loop, &reader, drain_pipe, NULL), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(state[1], 1000000);
    ck_assert_int_eq(state[2], 0);
    close(ends[0]);
}
END_TEST

START_TEST(a_reader_that_stops_can_be_left)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    begin_assembler(ends[1]);
    ck_assert_int_eq(add_piece('a', "0123456789", 100000, false), 0);
    while (capture_assembler_bytes(assembler) == 0)
        uv_run(&loop, UV_RUN_NOWAIT);
    capture_assembler_close(assembler);
    uv_run(&loop, UV_RUN_DEFAULT); /* ends, although nobody reads */
    ck_assert_str_eq(written, "");
    ck_assert_int_eq(failures, 0);
    close(ends[0]);
}
END_TEST

START_TEST(a_reader_that_went_is_told_once)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    begin_assembler(ends[1]);
    add_document();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(failures, 1);
    ck_assert_int_eq(last_error, -EPIPE);
    ck_assert_str_eq(written, "");
}
END_TEST

/* Many times: the worker may be done before the loop has counted that it began. */
START_TEST(a_full_disk_is_told_once)
{
    begin_assembler(open("/dev/full", O_WRONLY));
    add_document();
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(failures, 1);
    ck_assert_int_eq(last_error, -ENOSPC);
    ck_assert_str_eq(written, "");
}
END_TEST

START_TEST(a_piece_shorter_than_it_says_is_an_error)
{
    begin_assembler(memfd_create("output", MFD_CLOEXEC));
    ck_assert_int_eq(capture_assembler_add(assembler, file_of("x", 1), 2, false, NULL), 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(last_error, -EIO);
}
END_TEST

START_TEST(nothing_is_taken_after_a_failure)
{
    stays_open = true;
    begin_assembler(open("/dev/full", O_WRONLY));
    add_document();
    while (failures == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_eq(add_piece('x', "x", 1, false), -ENOSPC);
    capture_assembler_close(assembler);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(failures, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.capture_assembler");
    TCase *output = tcase_create("output");
    tcase_add_checked_fixture(output, set_up, tear_down);
    tcase_add_test(output, elements_are_separated_by_commas);
    tcase_add_test(output, a_file_opened_for_appending_is_appended_to);
    tcase_add_test(output, a_pipe_gets_every_byte_in_order);
    tcase_add_test(output, a_reader_that_stops_can_be_left);
    tcase_add_test(output, a_reader_that_went_is_told_once);
    tcase_add_loop_test(output, a_full_disk_is_told_once, 0, 50);
    tcase_add_test(output, a_piece_shorter_than_it_says_is_an_error);
    tcase_add_test(output, nothing_is_taken_after_a_failure);
    suite_add_tcase(suite, output);
    return run_suite(suite);
}
