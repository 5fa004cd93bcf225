/* profctl.convert: lanes of processes that exited, in a trace. */

#include "profctl/convert/conversion.h"
#include "tests/unit/lanes_scene.h"
#include "tests/unit/run_suite.h"

/* The event of a trace that comes behind COUNT others with that phase and name; NULL: there is
 * none.
 */
static const cJSON *event_of(const cJSON *trace, const char *phase, const char *name, int count)
{
    const cJSON *event;

    cJSON_ArrayForEach(
        event,
        cJSON_GetObjectItem(trace, "traceEvents")) if (strcmp(text_of(event, "ph"), phase) == 0 &&
                                                       strcmp(text_of(event, "name"), name) == 0 &&
                                                       count-- == 0) return event;
    return NULL;
}

START_TEST(a_trace_has_lanes_with_an_event_of_each_process)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 25, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, 0);
    const cJSON *second = event_of(trace, "X", "cc", 1);

    ck_assert_double_eq(number_of(second, "pid"), 7);
    ck_assert_double_eq(number_of(second, "ts"), 20000);
    ck_assert_double_eq(number_of(second, "dur"), 10000);
    ck_assert_str_eq(text_of(cJSON_GetObjectItem(second, "args"), "pid"), "8");
    ck_assert_double_eq(number_of(event_of(trace, "X", "cc", 2), "pid"), 9);
    ck_assert_double_eq(number_of(event_of(trace, "X", "f", 1), "pid"), 7);
    ck_assert_double_eq(number_of(event_of(trace, "C", "memory", 1), "pid"), 7);
    const cJSON *name = cJSON_GetObjectItem(event_of(trace, "M", "process_name", 0), "args");
    ck_assert_str_eq(text_of(name, "name"), "cc (2 processes)");
    ck_assert_ptr_null(event_of(trace, "M", "process_name", 2));
    cJSON_Delete(trace);
}
END_TEST

START_TEST(the_markers_of_a_lane_share_a_track_of_a_trace)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("ld", 8, 10, 20);
    put_process("cc", 9, 20, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, 0);
    double track = number_of(event_of(trace, "X", "mark", 0), "tid");

    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 1), "tid"), track + 1);
    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 2), "tid"), track);
    ck_assert_double_eq(number_of(event_of(trace, "X", "mark", 2), "pid"), 7);
    cJSON_Delete(trace);
}
END_TEST

START_TEST(a_trace_without_lanes_has_all_processes)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    end_profile();
    cJSON *trace = convert_to(&format_trace, SIZE_MAX);

    ck_assert_ptr_null(event_of(trace, "X", "cc", 0));
    ck_assert_double_eq(number_of(event_of(trace, "X", "f", 1), "pid"), 8);
    ck_assert_ptr_nonnull(event_of(trace, "M", "process_name", 1));
    cJSON_Delete(trace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.trace_lanes");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_trace_has_lanes_with_an_event_of_each_process);
    tcase_add_test(all, the_markers_of_a_lane_share_a_track_of_a_trace);
    tcase_add_test(all, a_trace_without_lanes_has_all_processes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
