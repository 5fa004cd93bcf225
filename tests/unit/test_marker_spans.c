/* profctl.profile.marker_spans: starts find their ends. */
#include <check.h>
#include <time.h>

#include "profctl/profile/marker_spans.h"
#include "tests/unit/run_suite.h"

static struct marker_spans spans;
static struct thread_markers markers;
static struct profile_sample last_sample;

static void set_up(void)
{
    spans = (struct marker_spans){ 0 };
    markers = (struct thread_markers){ 0 };
    last_sample.time_ms = 1e6;
}

static void tear_down(void)
{
    marker_spans_free(&spans);
    thread_markers_free(&markers);
}

static void put_marker(uint32_t name, enum marker_phase phase, double time_ms)
{
    struct table_marker *marker = mapped_array_push(&markers.markers, sizeof(*marker));
    ck_assert_ptr_nonnull(marker);
    *marker = (struct table_marker){
        .name = name, .phase = phase, .start_ms = time_ms, .end_ms = time_ms
    };
}

static void pair_all(void)
{
    const struct profile_thread thread = { .markers = &markers,
                                           .samples = &last_sample,
                                           .sample_count = 1 };
    ck_assert_int_eq(marker_spans_take(&spans, &thread), 0);
}

static void check_span(size_t index, uint32_t marker, double end_ms)
{
    ck_assert_uint_lt(index, spans.spans.count);
    const struct marker_span *span = (const struct marker_span *)spans.spans.items + index;
    ck_assert_uint_eq(span->marker, marker);
    ck_assert_double_eq(span->end_ms, end_ms);
}

START_TEST(ends_are_of_the_last_start_of_their_name)
{
    put_marker(1, PHASE_START, 1);
    put_marker(2, PHASE_START, 2);
    put_marker(1, PHASE_START, 3);
    put_marker(1, PHASE_END, 4);
    put_marker(2, PHASE_END, 5);
    put_marker(2, PHASE_END, 6); /* nobody recorded its start */
    put_marker(3, PHASE_START, 7);
    pair_all();
    ck_assert_uint_eq(spans.spans.count, 5);
    check_span(0, 2, 4);
    check_span(1, 1, 5);
    check_span(2, 5, 6);
    check_span(3, 0, 1e6); /* those that never ended, in their order */
    check_span(4, 6, 1e6);
}
END_TEST

START_TEST(the_next_thread_begins_with_nothing_open)
{
    put_marker(1, PHASE_START, 1);
    pair_all();
    markers.markers.count = 0;
    put_marker(1, PHASE_END, 5);
    pair_all();
    ck_assert_uint_eq(spans.spans.count, 1);
    check_span(0, 0, 5);
    ck_assert(((const struct marker_span *)spans.spans.items)->is_instant);
}
END_TEST

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In the order in which they began, each of a name of its own. */
START_TEST(many_open_markers_take_no_longer_each)
{
    enum { MANY = 300000 };
    for (uint32_t i = 0; i < MANY; i++)
        put_marker(i, PHASE_START, i);
    for (uint32_t i = 0; i < MANY; i++)
        put_marker(i, PHASE_END, MANY + i);
    double before_s = cpu_s();
    pair_all();
    ck_assert_double_lt(cpu_s() - before_s, 2);
    ck_assert_uint_eq(spans.spans.count, MANY);
    check_span(MANY - 1, MANY - 1, 2 * MANY - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile.marker_spans");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, ends_are_of_the_last_start_of_their_name);
    tcase_add_test(all, the_next_thread_begins_with_nothing_open);
    tcase_add_test(all, many_open_markers_take_no_longer_each);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
