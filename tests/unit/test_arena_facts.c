/* daemon.arena_facts: a few numbers of an arena, of a process that may lie. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/memory/arena_facts.h"
#include "tests/unit/run_suite.h"

enum { OFFSET = 8192 };

static int fd;
static struct arena_header header;
static struct arena_facts facts;

static void set_up(void)
{
    fd = memfd_create("arena", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    memset(&header, 0, sizeof(header));
    header.magic = ARENA_MAGIC;
}

static void tear_down(void)
{
    close(fd);
}

static int read_back(void)
{
    ck_assert_int_eq(pwrite(fd, &header, sizeof(header), OFFSET), sizeof(header));
    memset(&facts, 0xff, sizeof(facts));
    return arena_facts_read(fd, OFFSET, &facts);
}

START_TEST(they_are_those_of_the_header)
{
    header.live_threads = 3;
    header.dictionary_used_bytes = 500;
    header.tick_lateness_ns = 11;
    header.most_tick_lateness_ns = 12;
    header.sampling_clock = SAMPLING_CLOCK_PERF;
    header.sampling_interval_ns = 1000000;
    header.drops[DROP_REENTRANT] = 4;
    header.drop_bytes[DROP_REENTRANT] = 40;
    ck_assert_int_eq(read_back(), 0);
    ck_assert_uint_eq(facts.threads, 3);
    ck_assert_uint_eq(facts.dictionary_bytes, 500);
    ck_assert_uint_eq(facts.tick_lateness_ns, 11);
    ck_assert_uint_eq(facts.most_tick_lateness_ns, 12);
    ck_assert_int_eq(facts.sampling_clock, SAMPLING_CLOCK_PERF);
    ck_assert_uint_eq(facts.sampling_interval_ns, 1000000);
    ck_assert_uint_eq(facts.drops[DROP_REENTRANT], 4);
    ck_assert_uint_eq(facts.drop_bytes[DROP_REENTRANT], 40);
}
END_TEST

START_TEST(a_clock_that_there_is_not_is_none_and_refused_for_some_reason)
{
    header.sampling_clock = 200;
    header.sampling_clock_refusal = 200;
    ck_assert_int_eq(read_back(), 0);
    ck_assert_int_eq(facts.sampling_clock, SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(facts.sampling_clock_refusal, CLOCK_REFUSAL_OTHER);
}
END_TEST

START_TEST(what_is_no_arena_has_none)
{
    header.magic = ARENA_MAGIC + 1;
    ck_assert_int_eq(read_back(), -EPROTO);
    ck_assert_uint_eq(facts.threads, 0);
}
END_TEST

START_TEST(a_file_that_ends_before_has_none)
{
    ck_assert_int_eq(read_back(), 0);
    ck_assert_int_eq(ftruncate(fd, OFFSET + sizeof(header) - 1), 0);
    ck_assert_int_eq(arena_facts_read(fd, OFFSET, &facts), -EPROTO);
}
END_TEST

START_TEST(what_cannot_be_read_is_an_error)
{
    ck_assert_int_eq(arena_facts_read(-1, 0, &facts), -EBADF);
    ck_assert_uint_eq(facts.threads, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena_facts");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, they_are_those_of_the_header);
    tcase_add_test(all, a_clock_that_there_is_not_is_none_and_refused_for_some_reason);
    tcase_add_test(all, what_is_no_arena_has_none);
    tcase_add_test(all, a_file_that_ends_before_has_none);
    tcase_add_test(all, what_cannot_be_read_is_an_error);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
