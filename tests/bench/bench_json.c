/* JSON generation against the same document by fprintf, and its memory. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "json/json_writer.h"
#include "tests/bench/bench.h"

enum { ROWS = 400000 };

static int null_fd;
static FILE *null_stream;
static uint64_t document_bytes;

/* A sample table's rows, as in a profile: stack, time in ms, event delay, CPU delta. */
static double by_writer(void)
{
    struct failure_latch latch;
    struct json_writer writer;
    double start = bench_now_ns();
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &null_fd, &latch);
    json_start_object(&writer);
    json_start_array_property(&writer, "data");
    for (int64_t i = 0; i < ROWS; i++) {
        json_start_array(&writer);
        json_u64(&writer, (uint64_t)(i * 7 % 5000));
        json_time_ms(&writer, i * 1000123);
        json_u64(&writer, 0);
        json_u64(&writer, (uint64_t)(i % 1000));
        json_end_array(&writer);
    }
    json_end_array(&writer);
    json_string_property(&writer, "name", "GeckoMain");
    json_end_object(&writer);
    if (json_writer_flush(&writer) != 0)
        exit(1);
    document_bytes = json_writer_bytes(&writer);
    json_writer_fini(&writer);
    return bench_now_ns() - start;
}

static double by_fprintf(void)
{
    double start = bench_now_ns();
    fprintf(null_stream, "{\"data\":[");
    for (int64_t i = 0; i < ROWS; i++)
        fprintf(null_stream, "%s[%lld,%.6f,0,%lld]", i > 0 ? "," : "", (long long)(i * 7 % 5000),
                (double)(i * 1000123) / 1e6, (long long)(i % 1000));
    fprintf(null_stream, "],\"name\":\"%s\"}", "GeckoMain");
    fflush(null_stream);
    return bench_now_ns() - start;
}

static double peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss;
}

int main(void)
{
    null_fd = open("/dev/null", O_WRONLY);
    null_stream = fopen("/dev/null", "w");
    if (null_fd < 0 || null_stream == NULL)
        return 1;
    by_writer();
    double before = peak_kilobytes();
    struct bench_pair pair = bench_pair(by_fprintf, by_writer);
    bench_figure("fprintf's time / the JSON writer's", pair.ratio, "x at least", 4);
    bench_figure("writer's memory per MB of document",
                 (peak_kilobytes() - before) * 1024 / (double)document_bytes * 1000 / 1024, "KB",
                 64);
    return 0;
}
