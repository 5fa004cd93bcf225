/* Captures become rows: sums, hashes, and each sample in one range alone. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/export/profile_reference.h"
#include "profctl/export/profile_rows.h"
#include "tests/unit/run_suite.h"

enum { SAMPLES = 400, THREADS = 3, REFERENCE_MS = 1000000 };

static const int64_t ms = 1000000;

/* A capture of two processes, whose samples are 7.3 ms and a bit apart. */
static char *make_capture(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    fputs("{\"libs\":[],\"threads\":[],\"processes\":[", out);
    for (int process = 0; process < 2; process++) {
        fprintf(out,
                "%s{\"meta\":{\"version\":36,\"startTime\":5,\"interval\":4},\"libs\":[{\"start\":"
                "4096,\"end\":8192,\"offset\":0,\"name\":\"app\",\"path\":\"/bin/app\",\"codeId\":"
                "\"b%d\"}],\"threads\":[",
                process > 0 ? "," : "", process);
        for (int thread = 0; thread < THREADS; thread++) {
            fprintf(
                out,
                "%s{\"name\":\"t%d\",\"processName\":\"app\",\"pid\":%d,\"tid\":%d,"
                "\"stringTable\":[\"main (in app)\",\"f (in app)\",\"%d (in app)\",\"/f.c\"],"
                "\"frameTable\":{\"schema\":{\"location\":0,\"file\":1},"
                "\"data\":[[0],[1,3],[2]]},"
                "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],"
                "[0,2]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
                "\"data\":[",
                thread > 0 ? "," : "", thread % 2, process + 10, process + 10 + thread, thread);
            for (int i = 0; i < SAMPLES; i++)
                fprintf(out, "%s[%s,%.6f,%d]", i > 0 ? "," : "",
                        i % 5 == 0   ? "null"
                        : i % 2 == 0 ? "1"
                                     : "2",
                        i * 7.300001 + thread, 1000 + i * 13);
            fputs(
                "]},\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
                "\"category\":4,\"data\":5},\"data\":[[0,100.5,null,0,1,{\"type\":\"Native "
                "allocation\",\"size\":4096,\"stack\":{\"name\":\"SyncProfile\",\"samples\":{"
                "\"schema\":{\"stack\":0,\"time\":1},\"data\":[[2,1]]}}}],[0,200,null,0,1,{"
                "\"type\":"
                "\"Native allocation\",\"size\":-4096}],[0,300,null,0,1,{\"type\":\"Text\"}]]}}",
                out);
        }
        fprintf(out,
                "],\"profilingLog\":{\"%d\":{\"profd\":{\"verdict\":\"exited\",\"pid\":%d,"
                "\"parentPid\":1,\"startTime\":0,\"executable\":\"/bin/"
                "app\",\"lostBlocks\":2}}},\"processes\":[]}",
                process + 10, process + 10);
    }
    fprintf(out,
            "],\"meta\":{\"version\":36,\"startTime\":5,\"interval\":4,"
            "\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%lld}}",
            REFERENCE_MS * (long long)ms);
    fclose(out);
    return text;
}

static char build_id[64]; /* of the last process that was described */

static int describe_process(void *context, const struct exported_process *process,
                            const char *thread, struct row_writer *columns)
{
    (void)context;
    ck_assert_str_eq(process->program, "app");
    ck_assert_str_eq(process->kind, "");
    ck_assert_int_eq(process->parent_pid, 1);
    snprintf(build_id, sizeof(build_id), "%s", process->build_id);
    row_write_string(columns, process->build_id, strlen(process->build_id));
    row_write_string(columns, thread, strlen(thread));
    return columns->error;
}

static void read_range(const char *capture, int64_t from_ns, int64_t to_ns,
                       struct export_rows *rows, struct profile_rows_told *told)
{
    struct process_rests rests = { 0 };
    struct lost_blocks losses = { 0 };
    struct profile_rows_options options = { .rests = &rests,
                                            .losses = &losses,
                                            .from_ns = (uint64_t)from_ns,
                                            .to_ns = (uint64_t)to_ns,
                                            .minute_ns = 60 * 1000 * (uint64_t)ms,
                                            .describe = describe_process };
    struct json_reader *reader;

    ck_assert_int_eq(json_reader_open_memory(capture, strlen(capture), &reader), 0);
    ck_assert_int_eq(profile_reference_read(reader, &options.reference_ns), 0);
    ck_assert_int_eq(options.reference_ns, REFERENCE_MS * ms);
    json_reader_close(reader);
    ck_assert_int_eq(json_reader_open_memory(capture, strlen(capture), &reader), 0);
    ck_assert_int_eq(profile_rows_read(reader, &options, rows, told), 0);
    json_reader_close(reader);
    process_rests_free(&rests);
    lost_blocks_free(&losses);
}

static struct sums total_of(const struct export_rows *rows)
{
    struct sums total = { 0 };

    for (size_t i = 0; i < sum_table_count(&rows->sums); i++) {
        const struct sums *sums = sum_table_sums(&rows->sums, i);
        total.cpu_ns += sums->cpu_ns;
        total.samples += sums->samples;
        total.allocated_bytes += sums->allocated_bytes;
        total.allocations += sums->allocations;
        total.jank_ns += sums->jank_ns;
    }
    return total;
}

/* Beside the rows, and only for who wants them: a stack is the same with files and without. */
START_TEST(files_of_functions_are_noted_for_who_wants_them)
{
    static const char f[] = "f (in app)", other[] = "main (in app)";
    char *capture = make_capture(), hash[STACK_HASH_BYTES];
    struct profile_rows_told told;
    struct export_rows rows;
    size_t length;

    for (int wanted = 0; wanted < 2; wanted++) {
        export_rows_init(&rows);
        rows.files.are_wanted = wanted;
        read_range(capture, 0, INT64_MAX, &rows, &told);
        const char *file = frame_files_find(&rows.files, f, sizeof(f) - 1, &length);
        ck_assert_int_eq(file != NULL, wanted);
        if (wanted) {
            ck_assert_uint_eq(length, 4);
            ck_assert_mem_eq(file, "/f.c", length);
            ck_assert_mem_eq(hash, export_rows_hash(&rows, 1), sizeof(hash));
        }
        memcpy(hash, export_rows_hash(&rows, 1), sizeof(hash));
        ck_assert_ptr_null(frame_files_find(&rows.files, other, sizeof(other) - 1, &length));
        export_rows_fini(&rows);
    }
    free(capture);
}
END_TEST

/* A program that ended a second after the time line's beginning, and had no sample. */
static const char short_program[] =
    "{\"libs\":[],\"threads\":[],\"processes\":[{\"meta\":{\"version\":36,\"startTime\":5,"
    "\"interval\":4},\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\","
    "\"pid\":10,\"tid\":10,\"stringTable\":[],\"frameTable\":{\"schema\":{\"location\":0},"
    "\"data\":[]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},\"data\":[]},"
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,"
    "\"data\":5},\"data\":[]}}],\"profilingLog\":{\"10\":{\"profd\":{\"verdict\":\"exited\","
    "\"outcome\":\"exited\",\"pid\":10,\"parentPid\":1,\"laterImages\":0,\"executable\":"
    "\"/bin/app\",\"cpuTime\":25,\"cpuTimeBefore\":0,\"endTime\":1000}}},\"processes\":[]}],"
    "\"meta\":{\"version\":36,\"startTime\":5,\"interval\":4,"
    "\"startTimeAsClockMonotonicNanosecondsSinceBoot\":1000000000000}}";

START_TEST(a_program_without_a_sample_is_a_row_of_its_main_thread)
{
    const int64_t end_ns = (REFERENCE_MS + 1000) * ms;
    struct profile_rows_told told;
    struct export_rows rows;
    size_t length;

    export_rows_init(&rows);
    read_range(short_program, 0, end_ns, &rows, &told);
    ck_assert_uint_eq(sum_table_count(&rows.sums), 0);
    read_range(short_program, end_ns, INT64_MAX, &rows, &told);
    ck_assert_uint_eq(sum_table_count(&rows.sums), 1);
    ck_assert_int_eq(told.cpu_ns, 25 * ms);
    ck_assert_int_eq(sum_table_sums(&rows.sums, 0)->cpu_ns, 25 * ms);
    ck_assert_uint_eq(sum_table_sums(&rows.sums, 0)->samples, 0);
    const struct sum_key key = sum_table_key(&rows.sums, 0);
    ck_assert_uint_eq(key.minute_s, end_ns / ms / 1000 / 60 * 60);
    const char *source = unique_strings_get(&rows.sources, key.source, &length);
    ck_assert_ptr_nonnull(memmem(source, length, "main thread", strlen("main thread")));
    const char *stack = unique_strings_get(&rows.stacks, key.stack, &length);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(stack, "\0\0\0", 3);
    export_rows_fini(&rows);
}
END_TEST

START_TEST(a_capture_is_summed_by_source_and_stack)
{
    struct export_rows rows;
    struct profile_rows_told told;
    char *capture = make_capture();
    int64_t cpu_ns = 0;

    for (int i = 0; i < SAMPLES; i++)
        cpu_ns += (1000 + i * 13) * 1000; /* they are in us */
    export_rows_init(&rows);
    read_range(capture, 0, INT64_MAX, &rows, &told);
    struct sums total = total_of(&rows);
    ck_assert_int_eq(total.cpu_ns, 2 * THREADS * cpu_ns);
    ck_assert_int_eq(told.cpu_ns, total.cpu_ns);
    ck_assert_uint_eq(total.samples, 2 * THREADS * (SAMPLES - SAMPLES / 5));
    ck_assert_uint_eq(total.allocated_bytes, 2 * THREADS * 4096);
    ck_assert_uint_eq(total.allocations, 2 * THREADS);
    ck_assert_uint_eq(told.lost_blocks, 4);
    /* Threads of one name are one source, and those of two builds are two. */
    ck_assert_uint_eq(unique_strings_count(&rows.sources), 4);
    /* f, one of its own for each of three threads, and none; each in two builds, but the last. */
    ck_assert_uint_eq(unique_strings_count(&rows.stacks), 9);
    export_rows_fini(&rows);
    free(capture);
}
END_TEST

/* Samples 40 ms apart; from the third to the last but one, one event was under way. */
static const char janky_capture[] =
    "{\"libs\":[],\"processes\":[],\"meta\":{\"version\":36,\"startTime\":5,\"interval\":40,"
    "\"startTimeAsClockMonotonicNanosecondsSinceBoot\":1000000000000},\"threads\":[{\"name\":"
    "\"t0\","
    "\"processName\":\"app\",\"pid\":10,\"tid\":10,\"stringTable\":[\"main (in app)\","
    "\"f (in app)\"],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},"
    "\"data\":["
    "[0,0,0,0],[0,40,49.9,0],[1,80,50,100],[1,120,90,0],[0,160,130,0],[0,1000,60,0],[0,1040,1,0]]}}"
    "],"
    "\"profilingLog\":{\"10\":{\"profd\":{\"verdict\":\"exited\",\"pid\":10,\"parentPid\":1,"
    "\"executable\":\"/bin/app\",\"lostBlocks\":0}}}}";

/* Of waiting, too; and of a sample long after the one before, no more than the event took. */
START_TEST(jank_is_the_time_in_which_an_event_kept_others_waiting_for_long)
{
    struct export_rows rows;
    struct profile_rows_told told;
    uint64_t max_ns = 0;

    export_rows_init(&rows);
    read_range(janky_capture, 0, INT64_MAX, &rows, &told);
    ck_assert_uint_eq(total_of(&rows).jank_ns, (40 + 40 + 40 + 60) * (uint64_t)ms);
    for (size_t i = 0; i < sum_table_count(&rows.sums); i++)
        if (sum_table_sums(&rows.sums, i)->jank_ns > max_ns)
            max_ns = sum_table_sums(&rows.sums, i)->jank_ns;
    ck_assert_uint_eq(max_ns, 100 * (uint64_t)ms);
    ck_assert_int_eq(told.cpu_ns, 100 * 1000);
    export_rows_fini(&rows);
}
END_TEST

/* What the process of the janky capture, which /bin/app was, has in it: PATHS, from its lowest
 * address on, with the ids "id-0" and so on. */
static const char *read_build_id(const char *const paths[2])
{
    char capture[sizeof(janky_capture) + 512];
    struct export_rows rows;
    struct profile_rows_told told;

    snprintf(
        capture, sizeof(capture),
        "{\"libs\":[{\"start\":4096,\"end\":8192,\"name\":\"a\",\"path\":\"%s\",\"codeId\":\"id-"
        "0\"},"
        "{\"start\":12288,\"end\":16384,\"name\":\"b\",\"path\":\"%s\",\"codeId\":\"id-1\"}]%s",
        paths[0], paths[1], janky_capture + strlen("{\"libs\":[]"));
    export_rows_init(&rows);
    read_range(capture, 0, INT64_MAX, &rows, &told);
    export_rows_fini(&rows);
    return build_id;
}

START_TEST(a_build_id_is_of_the_program_however_it_was_started)
{
    static const char *const by_path[] = { "/lib/low.so", "/bin/app" };
    static const char *const by_link[] = { "/opt/app-1.2", "/lib/libc.so.6" };

    ck_assert_str_eq(read_build_id(by_path), "id-1");
    ck_assert_str_eq(read_build_id(by_link), "id-0");
}
END_TEST

/* Wherever it is cut, also at the very times of samples. */
START_TEST(each_sample_is_in_one_of_two_ranges)
{
    char *capture = make_capture();
    struct export_rows whole;
    struct profile_rows_told told;

    export_rows_init(&whole);
    read_range(capture, 0, INT64_MAX, &whole, &told);
    struct sums total = total_of(&whole);
    for (int i = 0; i < SAMPLES; i += 9) {
        int64_t cut = REFERENCE_MS * ms + (int64_t)i * 7300001 + i % 3;
        struct export_rows parts;
        struct profile_rows_told first, second;
        export_rows_init(&parts);
        read_range(capture, 0, cut, &parts, &first);
        read_range(capture, cut, INT64_MAX, &parts, &second);
        struct sums sum = total_of(&parts);
        ck_assert_int_eq(sum.cpu_ns, total.cpu_ns);
        ck_assert_uint_eq(sum.samples, total.samples);
        ck_assert_uint_eq(sum.allocated_bytes, total.allocated_bytes);
        ck_assert_uint_eq(first.samples + second.samples, told.samples);
        ck_assert_uint_eq(sum_table_count(&parts.sums), sum_table_count(&whole.sums));
        export_rows_fini(&parts);
    }
    export_rows_fini(&whole);
    free(capture);
}
END_TEST

START_TEST(a_range_without_samples_has_no_rows)
{
    char *capture = make_capture();
    struct export_rows rows;
    struct profile_rows_told told;

    export_rows_init(&rows);
    read_range(capture, 0, REFERENCE_MS * ms, &rows, &told);
    ck_assert_uint_eq(sum_table_count(&rows.sums), 0);
    export_rows_fini(&rows);
    free(capture);
}
END_TEST

START_TEST(a_capture_that_tells_no_clock_is_refused)
{
    static const char capture[] = "{\"meta\":{\"version\":36},\"processes\":[]}";
    struct json_reader *reader;
    int64_t reference_ns;

    ck_assert_int_eq(json_reader_open_memory(capture, strlen(capture), &reader), 0);
    ck_assert_int_eq(profile_reference_read(reader, &reference_ns), -EPROTO);
    json_reader_close(reader);
}
END_TEST

/* Hosts of different versions must agree, so it is written down here. */
START_TEST(a_hash_is_of_the_columns_and_always_the_same)
{
    static const unsigned char expected[] = { 0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
                                              0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f };
    struct export_rows rows;
    struct row_writer columns = { 0 };

    export_rows_init(&rows);
    uint32_t empty = export_rows_stack(&rows, &columns);
    ck_assert_int_eq(memcmp(export_rows_hash(&rows, empty), expected, sizeof(expected)), 0);
    row_write_length(&columns, 1);
    row_write_string(&columns, "main", 4);
    uint32_t main_stack = export_rows_stack(&rows, &columns);
    ck_assert_uint_ne(main_stack, empty);
    ck_assert_uint_eq(export_rows_stack(&rows, &columns), main_stack);
    ck_assert_int_ne(memcmp(export_rows_hash(&rows, main_stack), expected, sizeof(expected)), 0);
    row_writer_free(&columns);
    export_rows_fini(&rows);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.profile_rows");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, a_capture_is_summed_by_source_and_stack);
    tcase_add_test(claims, files_of_functions_are_noted_for_who_wants_them);
    tcase_add_test(claims, jank_is_the_time_in_which_an_event_kept_others_waiting_for_long);
    tcase_add_test(claims, a_build_id_is_of_the_program_however_it_was_started);
    tcase_add_test(claims, each_sample_is_in_one_of_two_ranges);
    tcase_add_test(claims, a_range_without_samples_has_no_rows);
    tcase_add_test(claims, a_capture_that_tells_no_clock_is_refused);
    tcase_add_test(claims, a_hash_is_of_the_columns_and_always_the_same);
    tcase_add_test(claims, a_program_without_a_sample_is_a_row_of_its_main_thread);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
