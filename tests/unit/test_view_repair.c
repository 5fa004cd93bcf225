/* Batches at whose sums a ClickHouse failed: what of its words tells which they are. */
#include <check.h>

#include "profctl/export/view_repair.h"
#include "tests/unit/run_suite.h"

static const struct export_batch batch = { .kind = EXPORT_SAMPLES, .id = 7 };
static const struct export_batch other = { .kind = EXPORT_SAMPLES, .id = 8 };

/* The views behind the one that failed were not called. */
START_TEST(the_view_that_failed_is_named)
{
    struct view_repair hours = { 0 }, sources = { 0 };

    view_repair_note(&hours, &batch,
                     "h:8123 answers 500: Code: 252, e.displayText() = DB::Exception: Too many "
                     "parts (300): while pushing to view profiles.samples_to_hours");
    view_repair_note(&sources, &batch, "while pushing to view profiles.samples_to_sources (1-2)");
    ck_assert_uint_eq(hours.batch, batch.id);
    ck_assert_uint_eq(hours.due_views, 3);
    ck_assert_uint_eq(sources.due_views, 2);
    view_repair_note(&hours, &other, "while pushing to view profiles.samples_to_sources");
    ck_assert_uint_eq(hours.batch, other.id);
    ck_assert_uint_eq(hours.due_views, 2);
}
END_TEST

START_TEST(other_errors_and_views_lack_nothing_of_ours)
{
    static const char *const texts[] = { "", "Code: 241, Memory limit exceeded",
                                         "while pushing to view profiles.own",
                                         "Table profiles.samples_to_hours does not exist" };
    struct view_repair repair = { 0 };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        view_repair_note(&repair, &batch, texts[i]);
    ck_assert_uint_eq(repair.due_views, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.view_repair");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, the_view_that_failed_is_named);
    tcase_add_test(claims, other_errors_and_views_lack_nothing_of_ours);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
