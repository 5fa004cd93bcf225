#include <check.h>
#include <stdio.h>
#include <string.h>

#include "daemon/metrics/label_sets.h"
#include "tests/unit/run_suite.h"

static struct label_sets sets;

static struct metric_labels labels_of(const char *name)
{
    struct metric_labels labels = { 0 };
    metric_labels_add(&labels, "name", name, strlen(name));
    return labels;
}

static uint32_t place_labels(const char *name)
{
    const struct metric_labels labels = labels_of(name);
    return label_sets_place(&sets, &labels);
}

static void set_up(void)
{
    const struct metric_labels other = labels_of("other");
    ck_assert_int_eq(label_sets_init(&sets, 2, &other), 0);
}

static void tear_down(void)
{
    label_sets_fini(&sets);
}

START_TEST(the_first_sets_have_places_that_stay)
{
    ck_assert_uint_eq(place_labels("blue"), 1);
    ck_assert_uint_eq(place_labels("red"), 2);
    ck_assert_uint_eq(place_labels("blue"), 1);
    struct metric_labels labels;
    label_sets_get(&sets, 2, &labels);
    ck_assert_str_eq(labels.text, "name=\"red\"");
    ck_assert_uint_eq(label_sets_count(&sets), 3);
}
END_TEST

START_TEST(what_finds_no_place_is_other_and_counted_once)
{
    place_labels("blue");
    place_labels("red");
    ck_assert_uint_eq(place_labels("green"), LABEL_SETS_OTHER);
    ck_assert_uint_eq(place_labels("green"), LABEL_SETS_OTHER);
    ck_assert_uint_eq(place_labels("grey"), LABEL_SETS_OTHER);
    ck_assert_uint_eq(sets.folded_count, 2);
    ck_assert_uint_eq(label_sets_count(&sets), 3);
}
END_TEST

START_TEST(who_is_called_other_is_that)
{
    ck_assert_uint_eq(place_labels("other"), LABEL_SETS_OTHER);
    ck_assert_uint_eq(sets.folded_count, 0);
}
END_TEST

START_TEST(counting_ends_somewhere)
{
    char name[32];
    for (unsigned i = 0; i < LABEL_SETS_MOST_COUNTED + 100; i++) {
        snprintf(name, sizeof(name), "tenant %u", i);
        place_labels(name);
    }
    ck_assert_uint_eq(sets.folded_count, LABEL_SETS_MOST_COUNTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.label_sets");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_first_sets_have_places_that_stay);
    tcase_add_test(all, what_finds_no_place_is_other_and_counted_once);
    tcase_add_test(all, who_is_called_other_is_that);
    tcase_add_test(all, counting_ends_somewhere);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
