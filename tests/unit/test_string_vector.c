/* child-agent.string_vector, with vectors that are no vectors. */
#include <check.h>
#include <string.h>
#include <sys/mman.h>

#include "child-agent/guest/string_vector.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096 };

static char *pages; /* two, of which only the first can be read */

static void set_up(void)
{
    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
}

static void tear_down(void)
{
    munmap(pages, 2 * PAGE);
}

START_TEST(what_is_terminated_can_be_read)
{
    char *vector[] = { "A=1", "", "B=2", NULL };

    ck_assert(string_vector_is_readable(vector));
    ck_assert(string_vector_is_readable(vector + 3));
    ck_assert(string_vector_is_readable(NULL));
}
END_TEST

START_TEST(a_vector_that_is_no_address_cannot)
{
    ck_assert(!string_vector_is_readable((char *const *)(void *)(pages + PAGE)));
    ck_assert(!string_vector_is_readable((char *const *)8)); /* NOLINT: nothing is there */
}
END_TEST

START_TEST(a_vector_that_does_not_end_cannot)
{
    char **vector = (char **)(void *)pages;

    for (size_t i = 0; i < PAGE / sizeof(*vector); i++)
        vector[i] = "A=1";
    ck_assert(!string_vector_is_readable(vector));
    vector[PAGE / sizeof(*vector) - 1] = NULL;
    ck_assert(string_vector_is_readable(vector));
}
END_TEST

START_TEST(a_string_that_is_no_address_cannot)
{
    char *vector[] = { "A=1", pages + PAGE, NULL };

    ck_assert(!string_vector_is_readable(vector));
    vector[1] = pages + PAGE - 1; /* which is '\0' */
    ck_assert(string_vector_is_readable(vector));
}
END_TEST

START_TEST(a_string_that_does_not_end_cannot)
{
    char *vector[] = { pages, NULL };

    memset(pages, 'a', PAGE);
    ck_assert(!string_vector_is_readable(vector));
    pages[PAGE - 1] = '\0';
    ck_assert(string_vector_is_readable(vector));
}
END_TEST

START_TEST(an_address_that_is_not_aligned_will_do)
{
    char **vector = (char **)(void *)(pages + PAGE - 12), *none = NULL;

    memcpy(vector, &none, sizeof(none));
    ck_assert(string_vector_is_readable(vector));
    vector = (char **)(void *)(pages + PAGE - 4); /* half of it is not there */
    ck_assert(!string_vector_is_readable(vector));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.string_vector");
    TCase *all = tcase_create("all");

    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, what_is_terminated_can_be_read);
    tcase_add_test(all, a_vector_that_is_no_address_cannot);
    tcase_add_test(all, a_vector_that_does_not_end_cannot);
    tcase_add_test(all, a_string_that_is_no_address_cannot);
    tcase_add_test(all, a_string_that_does_not_end_cannot);
    tcase_add_test(all, an_address_that_is_not_aligned_will_do);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
