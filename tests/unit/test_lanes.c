/* profctl.processed.lanes: processes that exited share the lanes of their programs. */

#include "profctl/convert/conversion.h"
#include "tests/unit/lanes_scene.h"
#include "tests/unit/run_suite.h"

static cJSON *convert_profile(size_t apart)
{
    return convert_to(&format_processed, apart);
}

static const cJSON *thread_at(const cJSON *result, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(result, "threads"), index);
}

static int thread_count(const cJSON *result)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(result, "threads"));
}

static int length_of(const cJSON *thread, const char *table)
{
    return (int)number_of(cJSON_GetObjectItem(thread, table), "length");
}

/* Of the marker at INDEX. */
static const cJSON *column_at(const cJSON *thread, const char *column, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetObjectItem(thread, "markers"), column),
                              index);
}

/* A program of the process 7, at the end of which its clock says CPU_MS. */
static void put_program(const char *program, double from, double to, int later, double cpu_ms)
{
    begin_process(program, 7 + 1000 * later, from, to, false);
    put("],\"profilingLog\":{\"7\":{\"profd\":{\"pid\":7,\"laterImages\":%d,\"cpuTimeBefore\":0,",
        later);
    if (later > 0)
        put("\"verdict\":\"execed\",\"outcome\":\"execed\",\"cpuTime\":null,\"cpuTimeAtExec\":%g}}}"
            "}",
            cpu_ms);
    else
        put("\"verdict\":\"exited\",\"code\":0,\"cpuTime\":%g}}}}", cpu_ms);
}

static double cpu_of_payload(const cJSON *thread, int index)
{
    return number_of(column_at(thread, "data", index), "cpu");
}

START_TEST(each_program_of_a_process_has_its_own_cpu_time)
{
    begin_profile();
    put_program("cc", 10, 20, 2, 30);
    put_program("cc", 20, 30, 1, 40);
    put_program("cc", 30, 40, 0, 90);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0);
    double sum_ms = 0;
    int told = 0;

    for (int i = 0; i < length_of(lane, "markers"); i++) {
        double cpu_ms = cpu_of_payload(lane, i);
        told += cpu_ms == 30 || cpu_ms == 10 || cpu_ms == 50;
        sum_ms += cpu_ms >= 0 ? cpu_ms : 0;
    }
    ck_assert_int_eq(told, 3);
    ck_assert_double_eq(sum_ms, 90);
    cJSON_Delete(result);
}
END_TEST

START_TEST(processes_that_follow_each_other_are_one)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 35, 40);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0);

    ck_assert_int_eq(thread_count(result), 1);
    ck_assert_str_eq(text_of(lane, "processName"), "cc (3 processes)");
    ck_assert_str_eq(text_of(lane, "pid"), "7");
    ck_assert_double_eq(number_of(lane, "registerTime"), 10);
    ck_assert_double_eq(number_of(lane, "unregisterTime"), 40);
    ck_assert_int_eq(length_of(lane, "samples"), 3);
    ck_assert_int_eq(length_of(lane, "markers"), 6);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(lane, "pausedRanges")), 3);
    cJSON_Delete(result);
}
END_TEST

START_TEST(each_process_is_marked)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *lane = thread_at(result, 0), *second = column_at(lane, "data", 3);

    ck_assert_double_eq(number_of(column_at(lane, "data", 2), "n"), 8);
    ck_assert_str_eq(text_of(second, "type"), "ExitedProcess");
    ck_assert_str_eq(text_of(second, "pid"), "8");
    ck_assert_str_eq(text_of(second, "command"), "cc -c");
    ck_assert_str_eq(text_of(second, "end"), "exited with 3");
    ck_assert_double_eq(cJSON_GetNumberValue(column_at(lane, "startTime", 3)), 20);
    ck_assert_double_eq(cJSON_GetNumberValue(column_at(lane, "endTime", 3)), 30);
    cJSON_Delete(result);
}
END_TEST

START_TEST(processes_at_one_time_have_lanes_of_their_own)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 15, 25);
    put_process("cc", 9, 26, 30); /* behind the one that ended last */
    put_process("ld", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(0);

    ck_assert_int_eq(thread_count(result), 3);
    ck_assert_str_eq(text_of(thread_at(result, 0), "processName"), "cc");
    ck_assert_str_eq(text_of(thread_at(result, 1), "processName"), "cc (2 processes)");
    ck_assert_str_eq(text_of(thread_at(result, 2), "processName"), "ld");
    cJSON_Delete(result);
}
END_TEST

START_TEST(who_lives_and_who_exited_first_are_apart)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    begin_process("cc", 8, 20, 30, true);
    end_process(8);
    put_process("cc", 9, 30, 40);
    put_process("cc", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(1);

    ck_assert_int_eq(thread_count(result), 3);
    ck_assert_str_eq(text_of(thread_at(result, 0), "pid"), "7");
    ck_assert_str_eq(text_of(thread_at(result, 1), "pid"), "8");
    ck_assert_str_eq(text_of(thread_at(result, 2), "processName"), "cc (2 processes)");
    cJSON_Delete(result);
}
END_TEST

START_TEST(threads_of_one_name_keep_their_places)
{
    begin_profile();
    for (int pid = 7; pid < 9; pid++) {
        begin_process("cc", pid, 10 * pid, 10 * pid + 5, false);
        put(",");
        put_thread("cc", "worker", pid, 10 * pid, 10 * pid + 5);
        put(",");
        put_thread("cc", "worker", pid, 10 * pid, 10 * pid + 5);
        end_process(pid);
    }
    put_process("ld", 10, 40, 50);
    end_profile();
    cJSON *result = convert_profile(0);

    ck_assert_int_eq(thread_count(result), 4);
    ck_assert_str_eq(text_of(thread_at(result, 1), "processName"), "ld");
    ck_assert_str_eq(text_of(thread_at(result, 2), "name"), "worker");
    ck_assert_int_eq(length_of(thread_at(result, 2), "samples"), 2);
    ck_assert_int_eq(length_of(thread_at(result, 3), "samples"), 2);
    cJSON_Delete(result);
}
END_TEST

START_TEST(counters_belong_to_their_lanes)
{
    begin_profile();
    put_process("cc", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("ld", 9, 40, 50);
    put_process("ld", 10, 45, 55);
    end_profile();
    cJSON *result = convert_profile(1);
    const cJSON *counters = cJSON_GetObjectItem(result, "counters");
    static const int threads[] = { 0, 1, 2, 3 };
    static const char *const pids[] = { "7", "8", "9", "10" };

    ck_assert_int_eq(cJSON_GetArraySize(counters), 4);
    for (int i = 0; i < 4; i++) {
        const cJSON *counter = cJSON_GetArrayItem(counters, i);
        ck_assert_double_eq(number_of(counter, "mainThreadIndex"), threads[i]);
        ck_assert_str_eq(text_of(counter, "pid"), pids[i]);
        ck_assert_str_eq(text_of(thread_at(result, threads[i]), "pid"), pids[i]);
    }
    cJSON_Delete(result);
}
END_TEST

START_TEST(the_busiest_lanes_are_shown_first)
{
    begin_profile();
    put_process("ld", 7, 10, 20);
    put_process("cc", 8, 20, 30);
    put_process("cc", 9, 30, 40);
    end_profile();
    cJSON *result = convert_profile(0);
    const cJSON *shown =
        cJSON_GetObjectItem(cJSON_GetObjectItem(result, "meta"), "initialVisibleThreads");

    ck_assert_double_eq(cJSON_GetNumberValue(cJSON_GetArrayItem(shown, 0)), 1);
    cJSON_Delete(result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.lanes");
    TCase *all = tcase_create("all");

    tcase_add_test(all, processes_that_follow_each_other_are_one);
    tcase_add_test(all, each_program_of_a_process_has_its_own_cpu_time);
    tcase_add_test(all, each_process_is_marked);
    tcase_add_test(all, processes_at_one_time_have_lanes_of_their_own);
    tcase_add_test(all, who_lives_and_who_exited_first_are_apart);
    tcase_add_test(all, threads_of_one_name_keep_their_places);
    tcase_add_test(all, counters_belong_to_their_lanes);
    tcase_add_test(all, the_busiest_lanes_are_shown_first);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
