#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "child-agent/guest/memory_probe_x86_64.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096 };

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* Three pages, of which the one in the middle cannot be read. */
static uint8_t *pages_with_gap(void)
{
    uint8_t *pages =
        mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    return pages;
}

START_TEST(test_what_is_there_can_be_read)
{
    uint8_t *pages = pages_with_gap();
    ck_assert(memory_probe_reads(address_of(pages), PAGE));
    ck_assert(memory_probe_reads(address_of(pages) + PAGE - 1, 1));
    ck_assert(memory_probe_reads(address_of(pages) + 2 * PAGE, PAGE));
    munmap(pages, 3 * PAGE);
}
END_TEST

START_TEST(test_what_is_not_all_there_cannot)
{
    uint8_t *pages = pages_with_gap();
    ck_assert(!memory_probe_reads(address_of(pages), PAGE + 1));
    ck_assert(!memory_probe_reads(address_of(pages), 3 * PAGE));
    ck_assert(!memory_probe_reads(address_of(pages) + PAGE, 1));
    munmap(pages, 3 * PAGE);
}
END_TEST

START_TEST(test_strings_are_read_to_their_end)
{
    uint8_t *pages = pages_with_gap();
    uint64_t last = address_of(pages) + PAGE - 2;
    memset(pages, 'a', PAGE);
    ck_assert(!memory_probe_reads_string(last, 100)); /* it would go on in the gap */
    pages[PAGE - 1] = '\0';
    ck_assert(memory_probe_reads_string(last, 100));
    ck_assert(memory_probe_reads_string(last, 2));
    ck_assert(!memory_probe_reads_string(last, 1));
    ck_assert(!memory_probe_reads_string(address_of(pages), PAGE - 1));
    ck_assert(!memory_probe_reads_string(16, 100));
    munmap(pages, 3 * PAGE);
}
END_TEST

START_TEST(test_no_addresses_cannot)
{
    ck_assert(!memory_probe_reads(8, 8));
    ck_assert(!memory_probe_reads(UINT64_C(1) << 63, 8));
    ck_assert(!memory_probe_reads(UINT64_MAX - PAGE, PAGE));
    ck_assert(!memory_probe_reads(UINT64_MAX - 8, PAGE));
}
END_TEST

START_TEST(test_nothing_changes)
{
    sigset_t all, before, after;
    sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &before), 0);
    errno = ENOENT;
    ck_assert(memory_probe_reads(address_of(&all), sizeof(all)));
    ck_assert(!memory_probe_reads(8, 8));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &after), 0);
    ck_assert_mem_eq(&after, &before, sizeof(uint64_t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("agent.memory_probe");
    TCase *all = tcase_create("memory");
    tcase_add_test(all, test_what_is_there_can_be_read);
    tcase_add_test(all, test_what_is_not_all_there_cannot);
    tcase_add_test(all, test_strings_are_read_to_their_end);
    tcase_add_test(all, test_no_addresses_cannot);
    tcase_add_test(all, test_nothing_changes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
