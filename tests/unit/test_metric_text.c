#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/metrics/metric_text.h"
#include "tests/unit/run_suite.h"

static char *text;
static size_t text_bytes;
static FILE *out;

static void set_up(void)
{
    out = open_memstream(&text, &text_bytes);
    ck_assert_ptr_nonnull(out);
}

static void tear_down(void)
{
    fclose(out);
    free(text);
}

static const char *written_text(void)
{
    ck_assert_int_eq(fflush(out), 0);
    return text;
}

START_TEST(labels_are_escaped)
{
    struct metric_labels labels = { 0 };
    metric_labels_add(&labels, "kind", "a\"b\\c\nd", 7);
    metric_labels_add(&labels, "name", "", 0);
    ck_assert_str_eq(labels.text, "kind=\"a\\\"b\\\\c\\nd\",name=\"\"");
}
END_TEST

/* Who reads would refuse the whole page. */
START_TEST(bytes_that_are_no_text_are_replaced)
{
    struct metric_labels labels = { 0 };
    metric_labels_add(&labels, "name", "a\0\xff\x1b\xc3\xa4", 6);
    ck_assert_str_eq(labels.text, "name=\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4\"");
}
END_TEST

START_TEST(four_values_of_the_worst_bytes_have_room)
{
    struct metric_labels labels = { 0 };
    char worst[2 * METRIC_LABEL_MOST_BYTES];
    memset(worst, 0xff, sizeof(worst));
    for (unsigned i = 0; i < 4; i++)
        metric_labels_add(&labels, "program", worst, sizeof(worst));
    ck_assert_uint_eq(labels.length,
                      4 * (strlen("program=\"\"") + 3 * METRIC_LABEL_MOST_BYTES) + 3);
}
END_TEST

START_TEST(a_family_has_a_help_and_a_type)
{
    metric_family(out, "processes", "gauge", "Those that live.");
    metric_count(out, "processes", "", UINT64_MAX);
    metric_seconds(out, "running_seconds", "a=\"b\"", 1000000001);
    ck_assert_str_eq(written_text(), "# HELP processes Those that live.\n# TYPE processes gauge\n"
                                     "processes 18446744073709551615\n"
                                     "running_seconds{a=\"b\"} 1.000000001\n");
}
END_TEST

START_TEST(a_histogram_has_those_that_took_at_most_so_long)
{
    const uint64_t within[] = { 3, 6 };
    metric_histogram(out, "seconds", "a=\"b\"",
                     &(struct metric_durations){ 1000000, 2, within, 8, 1500000000 });
    ck_assert_str_eq(written_text(),
                     "seconds_bucket{a=\"b\",le=\"0.001\"} 3\n"
                     "seconds_bucket{a=\"b\",le=\"0.002\"} 6\n"
                     "seconds_bucket{a=\"b\",le=\"+Inf\"} 8\n"
                     "seconds_sum{a=\"b\"} 1.500000000\nseconds_count{a=\"b\"} 8\n");
}
END_TEST

/* They are read while they are written. */
START_TEST(a_histogram_never_shrinks_upwards)
{
    const uint64_t within[] = { 7, 4, 9 };
    metric_histogram(out, "seconds", "", &(struct metric_durations){ 1000000, 3, within, 8, 0 });
    ck_assert_str_eq(written_text(),
                     "seconds_bucket{le=\"0.001\"} 7\nseconds_bucket{le=\"0.002\"} 7\n"
                     "seconds_bucket{le=\"0.004\"} 8\nseconds_bucket{le=\"+Inf\"} 8\n"
                     "seconds_sum 0.000000000\nseconds_count 8\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.metric_text");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, labels_are_escaped);
    tcase_add_test(all, bytes_that_are_no_text_are_replaced);
    tcase_add_test(all, four_values_of_the_worst_bytes_have_room);
    tcase_add_test(all, a_family_has_a_help_and_a_type);
    tcase_add_test(all, a_histogram_has_those_that_took_at_most_so_long);
    tcase_add_test(all, a_histogram_never_shrinks_upwards);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
