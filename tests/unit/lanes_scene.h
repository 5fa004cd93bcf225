/* A profile of processes, and what it is converted to. */
#ifndef TESTS_UNIT_LANES_SCENE_H
#define TESTS_UNIT_LANES_SCENE_H

#include <check.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profctl/convert/conversion.h"

enum { MAX_BYTES = 64 * 1024 };

static char profile[MAX_BYTES], written[MAX_BYTES];
static size_t profile_bytes, written_bytes;
static int processes;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(profile + profile_bytes, MAX_BYTES - profile_bytes, format, arguments);
    va_end(arguments);
    ck_assert_int_gt(length, -1);
    profile_bytes += (size_t)length;
    ck_assert_uint_lt(profile_bytes, MAX_BYTES);
}

static void begin_profile(void)
{
    profile_bytes = 0;
    processes = 0;
    put("{\"meta\":{\"interval\":1,\"startTime\":1000},\"threads\":[],\"processes\":[");
}

/* One sample in the middle of its life, and a marker there. */
static void put_thread(const char *program, const char *name, int pid, double from, double to)
{
    double middle = (from + to) / 2;

    put("{\"name\":\"%s\",\"processName\":\"%s\",\"pid\":%d,\"tid\":%d,\"registerTime\":%g,"
        "\"unregisterTime\":%g,\"stringTable\":[\"f\",\"mark\"],",
        name, program, pid, pid, from, to);
    put("\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},");
    put("\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},"
        "\"data\":[[0,%g,1000]]},"
        "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
        "\"category\":4,\"data\":5},\"data\":[[1,%g,null,0,0,{\"type\":\"t\",\"n\":%d}]]}}",
        middle, middle, pid);
}

/* A process that lives from FROM to TO; IS_LIVE: it does not end. */
static void begin_process(const char *program, int pid, double from, double to, bool is_live)
{
    put("%s{\"meta\":{\"interval\":1", processes++ > 0 ? "," : "");
    if (!is_live)
        put(",\"shutdownTime\":%g", to);
    put("},\"pausedRanges\":[{\"startTime\":%g,\"endTime\":null}],\"threads\":[", from);
    put_thread(program, "GeckoMain", pid, from, to);
}

static void end_process(int pid)
{
    put("],\"counters\":[{\"name\":\"memory\",\"category\":\"Memory\",\"description\":\"\","
        "\"samples\":{\"schema\":{\"time\":0,\"count\":1},\"data\":[[%d,1]]}}],"
        "\"profilingLog\":{\"%d\":{\"profd\":{\"verdict\":\"exited\",\"code\":3,"
        "\"commandLine\":[\"cc\",\"-c\"]}}}}",
        pid, pid);
}

static void put_process(const char *program, int pid, double from, double to)
{
    begin_process(program, pid, from, to, false);
    end_process(pid);
}

static void end_profile(void)
{
    put("]}");
}

static int write_bytes(void *context, const char *text, size_t count)
{
    (void)context;
    ck_assert_uint_lt(written_bytes + count, MAX_BYTES);
    memcpy(written + written_bytes, text, count);
    written_bytes += count;
    return 0;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    return conversion_add(owner, thread);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    return conversion_add_process(owner, is_root, log);
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    return conversion_add_counter(owner, counter);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    return conversion_add_meta(owner, name, json, length);
}

/* The profile in FORMAT, in which APART processes that exited are seen by themselves. */
static cJSON *convert_to(const struct profile_format *format, size_t apart)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .on_counter = on_counter,
                                                       .on_meta = on_meta,
                                                       .wants_markers = true };
    struct conversion conversion = { .format = format, .write = write_bytes };
    struct profile_facts facts;
    struct json_reader *reader;

    written_bytes = 0;
    ck_assert_int_eq(json_reader_open_memory(profile, profile_bytes, &reader), 0);
    ck_assert_int_eq(conversion_begin(&conversion), 0);
    conversion_merge_exited(&conversion, apart);
    ck_assert_int_eq(profile_walk(reader, &events, &conversion, &facts), 0);
    ck_assert_int_eq(conversion_finish(&conversion, &facts), 0);
    conversion_end(&conversion);
    json_reader_close(reader);
    cJSON *result = cJSON_ParseWithLength(written, written_bytes);
    ck_assert_ptr_nonnull(result);
    return result;
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
}

static double number_of(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

#endif
