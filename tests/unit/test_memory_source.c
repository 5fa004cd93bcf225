/* daemon.memory.memory_source: lists of sources. */
#include <check.h>
#include <stddef.h>

#include "daemon/memory/memory_source.h"
#include "tests/unit/run_suite.h"

static struct memory_source_list list, other;
static struct memory_source sources[3];

static void set_up(void)
{
    list = other = (struct memory_source_list){ NULL, NULL };
    for (size_t i = 0; i < 3; i++) {
        sources[i] = (struct memory_source){ .heap_position = (uint32_t)i };
        memory_source_join(&list, &sources[i]);
    }
}

/* LIST has COUNT sources, which are linked both ways. */
static void check_list(const struct memory_source_list *checked, size_t count)
{
    const struct memory_source *previous = NULL;

    for (const struct memory_source *source = checked->first; source != NULL;
         source = source->next) {
        ck_assert_ptr_eq(source->previous, previous);
        ck_assert_ptr_eq(source->list, checked);
        previous = source;
        ck_assert_uint_gt(count--, 0);
    }
    ck_assert_ptr_eq(checked->last, previous);
    ck_assert_uint_eq(count, 0);
}

START_TEST(who_joined_first_is_first)
{
    check_list(&list, 3);
    ck_assert_ptr_eq(list.first, &sources[0]);
    ck_assert_ptr_eq(list.last, &sources[2]);
}
END_TEST

START_TEST(any_of_them_may_leave)
{
    memory_source_leave(&sources[_i]);
    ck_assert_ptr_null(sources[_i].list);
    check_list(&list, 2);
    memory_source_leave(&sources[_i]); /* it is in none */
    check_list(&list, 2);
}
END_TEST

START_TEST(who_joins_another_list_leaves_this_one)
{
    memory_source_join(&other, &sources[_i]);
    check_list(&list, 2);
    check_list(&other, 1);
    memory_source_join(&list, &sources[_i]);
    check_list(&other, 0);
    ck_assert_ptr_eq(list.last, &sources[_i]);
    check_list(&list, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.memory.memory_source");
    TCase *all = tcase_create("lists");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, who_joined_first_is_first);
    tcase_add_loop_test(all, any_of_them_may_leave, 0, 3);
    tcase_add_loop_test(all, who_joins_another_list_leaves_this_one, 0, 3);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
