/* What a capture is written into: files, which set room aside, and pipes. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/programs/output_pump.h"
#include "tests/unit/run_suite.h"

enum { EXPECTED_BYTES = 8 * 1024 * 1024, STAT_BLOCK_BYTES = 512 };

static char path[32];

static struct output_pump pump_into(int fd)
{
    return (struct output_pump){ .output_fd = fd, .cancel_fd = -1 };
}

static int open_file(void)
{
    strcpy(path, "/tmp/output-pump-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static void close_file(int fd)
{
    close(fd);
    ck_assert_int_eq(unlink(path), 0);
}

static struct stat status_of(int fd)
{
    struct stat status;

    ck_assert_int_eq(fstat(fd, &status), 0);
    return status;
}

static uint64_t disk_bytes(int fd)
{
    return (uint64_t)status_of(fd).st_blocks * STAT_BLOCK_BYTES;
}

START_TEST(room_that_was_not_needed_is_given_back)
{
    char byte;
    int fd = open_file();
    struct output_pump pump = pump_into(fd);

    output_pump_expect(&pump, EXPECTED_BYTES);
    ck_assert_uint_ge(disk_bytes(fd), EXPECTED_BYTES);
    ck_assert_int_eq(output_pump_write(&pump, "abc", 3), 0);
    output_pump_settle(&pump);
    ck_assert_int_eq(status_of(fd).st_size, 3);
    ck_assert_uint_lt(disk_bytes(fd), EXPECTED_BYTES);
    ck_assert_int_eq(pread(fd, &byte, 1, 2), 1);
    ck_assert_int_eq(byte, 'c');
    close_file(fd);
}
END_TEST

START_TEST(what_lies_behind_the_room_stays)
{
    char text[7] = "";
    int fd = open_file();
    struct output_pump pump = pump_into(fd);

    ck_assert_int_eq(ftruncate(fd, 2 * EXPECTED_BYTES), 0);
    ck_assert_int_eq(pwrite(fd, "behind", 6, 2 * EXPECTED_BYTES - 6), 6);
    output_pump_expect(&pump, EXPECTED_BYTES);
    ck_assert_int_eq(output_pump_write(&pump, "abc", 3), 0);
    output_pump_settle(&pump);
    ck_assert_int_eq(status_of(fd).st_size, 2 * EXPECTED_BYTES);
    ck_assert_int_eq(pread(fd, text, 6, 2 * EXPECTED_BYTES - 6), 6);
    ck_assert_str_eq(text, "behind");
    close_file(fd);
}
END_TEST

START_TEST(a_pipe_takes_bytes_as_they_come)
{
    char text[4] = "";
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    struct output_pump pump = pump_into(ends[1]);
    output_pump_expect(&pump, EXPECTED_BYTES);
    ck_assert_int_eq(output_pump_write(&pump, "abc", 3), 0);
    output_pump_settle(&pump);
    ck_assert_int_eq(read(ends[0], text, sizeof(text)), 3);
    ck_assert_str_eq(text, "abc");
    ck_assert_uint_eq(pump.bytes, 3);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

static Suite *output_pump_suite(void)
{
    Suite *suite = suite_create("output_pump");
    TCase *room = tcase_create("room");

    tcase_add_test(room, room_that_was_not_needed_is_given_back);
    tcase_add_test(room, what_lies_behind_the_room_stays);
    tcase_add_test(room, a_pipe_takes_bytes_as_they_come);
    suite_add_tcase(suite, room);
    return suite;
}

int main(void)
{
    return run_suite(output_pump_suite());
}
