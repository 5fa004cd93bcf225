#include "profctl/profile/profile_meta.h"

#include <string.h>

#include "common/time_units.h"
#include "profctl/json_steps.h"
#include "profctl/profile/process_log.h"
#include "profctl/tables/json_text.h"

enum { NAME_BYTES = 64 }; /* no name that is asked for is longer */

static int read_interval(struct json_reader *reader, uint64_t *interval_ns)
{
    double ms = 0;
    int error = json_number_keep(reader, &ms);

    *interval_ns = process_log_interval_ns(ms);
    return error;
}

static int read_unit(struct json_reader *reader, double *cpu_unit_ns)
{
    bool is_cpu = json_reader_is(reader, "threadCPUDelta");
    int token = json_reader_next(reader);

    if (is_cpu && token == JSON_TOKEN_STRING)
        *cpu_unit_ns = json_reader_is(reader, "ns")                                   ? 1
                       : json_reader_is(reader, "us") || json_reader_is(reader, "µs") ? NS_PER_US
                                                                                      : -1;
    return json_reader_skip(reader);
}

static int read_units(struct json_reader *reader, double *cpu_unit_ns)
{
    int error = 0;

    if (json_reader_next(reader) != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reader);
    while (json_next_member(reader, &error))
        error = read_unit(reader, cpu_unit_ns);
    return error;
}

static int tell_member(struct json_reader *reader, const struct profile_meta_listener *listener)
{
    char name[NAME_BYTES];
    const char *text;
    size_t length;

    if (listener->on_member == NULL)
        return json_reader_skip(reader);
    int error = json_reader_string(reader, &text, &length);
    if (error < 0)
        return error;
    if (length >= sizeof(name))
        return json_reader_skip(reader);
    memcpy(name, text, length + 1);
    listener->text->count = 0;
    error = json_text_append_value(reader, listener->text);
    return error < 0 ? error
                     : listener->on_member(listener->owner, name, listener->text->items,
                                           listener->text->count);
}

static int read_member(struct json_reader *reader, const struct profile_meta_listener *listener,
                       struct profile_meta *meta)
{
    meta->is_of_root |= json_reader_is(reader, "product");
    if (json_reader_is(reader, "preprocessedProfileVersion"))
        return json_reader_refuse(reader, "it is a processed profile; give the capture that it was "
                                          "made of");
    if (json_reader_is(reader, "startTime"))
        return json_number_keep_either(reader, &meta->start_unix_ms);
    if (json_reader_is(reader, "interval"))
        return read_interval(reader, &meta->interval_ns);
    if (json_reader_is(reader, "sampleUnits"))
        return read_units(reader, &meta->cpu_unit_ns);
    return tell_member(reader, listener);
}

int profile_meta_read(struct json_reader *reader, const struct profile_meta_listener *listener,
                      struct profile_meta *meta)
{
    int error = json_expect(reader, JSON_TOKEN_START_OBJECT);

    *meta = (struct profile_meta){ 0 };
    while (json_next_member(reader, &error))
        error = read_member(reader, listener, meta);
    return error;
}
