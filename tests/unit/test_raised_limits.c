#include <check.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "child-agent/guest/own_mappings.h"
#include "child-agent/guest/raised_limits.h"
#include "tests/unit/run_suite.h"

enum { OWN = 1000 };

static const rlim_t none = RLIM_INFINITY;

/* The program wants WANTED while the kernel has KERNEL, which it sees as SEEN. */
static const struct {
    struct rlimit wanted, kernel, seen, chosen;
} choices[] = {
    { { 50, none }, { none, none }, { none, none }, { 1050, none } },
    { { 50, 70 }, { none, none }, { none, none }, { 1050, 1070 } },
    { { 50, 70 }, { 100, 100 }, { 100, 100 }, { 100, 100 } },
    { { 50, 60 }, { 1050, 1070 }, { 50, 70 }, { 1050, 1060 } },
    { { 70, 70 }, { 1050, 1070 }, { 50, 70 }, { 1070, 1070 } },
    { { 50, 80 }, { 1050, 1070 }, { 50, 70 }, { 1050, 1080 } }, /* the kernel says whether it may */
    { { 80, 70 }, { 1050, 1070 }, { 50, 70 }, { 80, 70 } },     /* is refused */
    { { 0, 0 }, { none, none }, { none, none }, { 1000, 1000 } },
    { { RLIM_INFINITY - 5, none }, { none, none }, { none, none }, { none, none } },
    { { none, none }, { 1050, 1070 }, { 50, 70 }, { none, none } },
};

START_TEST(the_kernel_gets_what_the_agent_takes_besides)
{
    const struct rlimit chosen =
        raised_limits_choose(&choices[_i].wanted, &choices[_i].kernel, &choices[_i].seen, OWN);
    ck_assert_uint_eq(chosen.rlim_cur, choices[_i].chosen.rlim_cur);
    ck_assert_uint_eq(chosen.rlim_max, choices[_i].chosen.rlim_max);
}
END_TEST

START_TEST(only_memory_is_raised)
{
    ck_assert(raised_limits_have(RLIMIT_AS));
    ck_assert(raised_limits_have(RLIMIT_DATA));
    ck_assert(!raised_limits_have(RLIMIT_STACK));
    ck_assert(!raised_limits_have(-1));
    ck_assert(!raised_limits_have_raised(RLIMIT_AS));
    ck_assert(!raised_limits_have_raised(RLIMIT_STACK));
}
END_TEST

static rlim_t kernel_value(void)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    return limit.rlim_cur;
}

/* More than a sanitizer takes. */
static const rlim_t plenty = (rlim_t)1 << 50;

START_TEST(it_is_lowered_for_another_program)
{
    const struct rlimit wanted = { plenty, RLIM_INFINITY };
    struct rlimit seen;
    ck_assert_int_eq(raised_limits_change(RLIMIT_AS, &wanted, NULL), 0);
    rlim_t raised = kernel_value();
    ck_assert_uint_gt(raised, wanted.rlim_cur);
    raised_limits_lower();
    ck_assert_uint_eq(kernel_value(), wanted.rlim_cur);
    raised_limits_raise_again();
    ck_assert_uint_eq(kernel_value(), raised);
    ck_assert_int_eq(raised_limits_change(RLIMIT_AS, NULL, &seen), 0);
    ck_assert_uint_eq(seen.rlim_cur, wanted.rlim_cur);
}
END_TEST

/* By `prlimit --as`, say. */
START_TEST(what_others_have_changed_is_told)
{
    const struct rlimit wanted = { plenty, RLIM_INFINITY };
    const struct rlimit of_others = { 2 * plenty, RLIM_INFINITY };
    struct rlimit seen;
    ck_assert_int_eq(raised_limits_change(RLIMIT_AS, &wanted, NULL), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &of_others), 0);
    raised_limits_lower();
    ck_assert_uint_eq(kernel_value(), of_others.rlim_cur);
    ck_assert_int_eq(raised_limits_change(RLIMIT_AS, NULL, &seen), 0);
    ck_assert_uint_eq(seen.rlim_cur, of_others.rlim_cur);
}
END_TEST

void *__wrap_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *start, size_t bytes);
void *__wrap_mremap(void *start, size_t old_bytes, size_t bytes, int flags, ...);

enum { PAGE = 4096 };

static void *map(size_t bytes, int flags)
{
    void *mapped = __wrap_mmap(NULL, bytes, PROT_READ, flags | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(mapped, MAP_FAILED);
    return mapped;
}

static void check_mapped(uint64_t pages, uint64_t private_pages)
{
    ck_assert_uint_eq(own_mappings_bytes(), pages * PAGE);
    ck_assert_uint_eq(own_mappings_private_bytes(), private_pages * PAGE);
}

START_TEST(what_is_mapped_is_counted)
{
    void *own = map(PAGE + 1, MAP_PRIVATE);
    check_mapped(2, 2);
    void *shared = map((size_t)3 * PAGE, MAP_SHARED);
    check_mapped(5, 2);
    own = __wrap_mremap(own, PAGE + 1, (size_t)4 * PAGE, MREMAP_MAYMOVE);
    ck_assert_ptr_ne(own, MAP_FAILED);
    check_mapped(7, 4);
    ck_assert_int_eq(__wrap_munmap(shared, (size_t)3 * PAGE), 0);
    check_mapped(4, 4);
    ck_assert_int_eq(__wrap_munmap(own, (size_t)4 * PAGE), 0);
    check_mapped(0, 0);
}
END_TEST

START_TEST(what_takes_the_place_of_another_is_counted_once)
{
    void *first = map(PAGE, MAP_SHARED), *second = map(PAGE, MAP_SHARED);
    ck_assert_ptr_eq(__wrap_mremap(second, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, first),
                     first);
    check_mapped(1, 0);
    ck_assert_int_eq(__wrap_munmap(first, PAGE), 0);
    check_mapped(0, 0);
}
END_TEST

int __wrap_madvise(void *start, size_t bytes, int advice);

START_TEST(a_child_lacks_what_it_does_not_inherit)
{
    void *shared = map((size_t)3 * PAGE, MAP_SHARED), *own = map((size_t)2 * PAGE, MAP_PRIVATE);
    (void)map(PAGE, MAP_PRIVATE);
    ck_assert_int_eq(__wrap_madvise(shared, (size_t)3 * PAGE, MADV_DONTFORK), 0);
    ck_assert_int_eq(__wrap_madvise(own, (size_t)2 * PAGE, MADV_DONTFORK), 0);
    check_mapped(6, 3);
    ck_assert_int_eq(__wrap_munmap(own, (size_t)2 * PAGE), 0);
    check_mapped(4, 1);
    for (int generation = 0; generation < 2; generation++) {
        own_mappings_after_fork_child();
        check_mapped(1, 1);
    }
}
END_TEST

START_TEST(what_cannot_be_mapped_is_not)
{
    ck_assert_ptr_eq(__wrap_mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     MAP_FAILED);
    check_mapped(0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.raised_limits");
    TCase *limits = tcase_create("limits");
    tcase_add_loop_test(limits, the_kernel_gets_what_the_agent_takes_besides, 0,
                        sizeof(choices) / sizeof(choices[0]));
    tcase_add_test(limits, only_memory_is_raised);
    tcase_add_test(limits, it_is_lowered_for_another_program);
    tcase_add_test(limits, what_others_have_changed_is_told);
    suite_add_tcase(suite, limits);
    TCase *mappings = tcase_create("mappings");
    tcase_add_test(mappings, what_is_mapped_is_counted);
    tcase_add_test(mappings, what_takes_the_place_of_another_is_counted_once);
    tcase_add_test(mappings, a_child_lacks_what_it_does_not_inherit);
    tcase_add_test(mappings, what_cannot_be_mapped_is_not);
    suite_add_tcase(suite, mappings);
    return run_suite(suite);
}
