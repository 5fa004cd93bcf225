#include "profctl/convert/conversion.h"

static int write_bytes(void *context, const char *bytes, size_t count)
{
    struct conversion *conversion = context;
    int err = conversion->write(conversion->context, bytes, count);

    if (err < 0 && conversion->write_error == 0)
        conversion->write_error = err;
    return err;
}

int conversion_begin(struct conversion *conversion)
{
    return conversion->format->begin(write_bytes, conversion, &conversion->state);
}

int conversion_add(struct conversion *conversion, const struct profile_thread *thread)
{
    conversion->threads++;
    return conversion->format->add_thread(conversion->state, thread);
}

int conversion_add_counter(struct conversion *conversion, const struct profile_counter *counter)
{
    return conversion->format->add_counter(conversion->state, counter);
}

int conversion_add_meta(struct conversion *conversion, const char *name, const char *json,
                        size_t length)
{
    return conversion->format->add_meta(conversion->state, name, json, length);
}

int conversion_add_process(struct conversion *conversion, bool is_root,
                           const struct process_log *log)
{
    return conversion->format->add_process(conversion->state, is_root, log);
}

struct profile_walk_events conversion_events(const struct profile_format *format,
                                             struct profile_walk_events all)
{
    return (struct profile_walk_events){
        .on_thread = all.on_thread,
        .on_counter = format->add_counter != NULL ? all.on_counter : NULL,
        .on_meta = format->add_meta != NULL ? all.on_meta : NULL,
        .on_process = format->add_process != NULL ? all.on_process : NULL,
        .wants_markers = format->wants_markers,
    };
}

int conversion_finish(struct conversion *conversion, const struct profile_facts *facts)
{
    return conversion->format->finish(conversion->state, facts);
}

void conversion_end(struct conversion *conversion)
{
    if (conversion->state != NULL)
        conversion->format->end(conversion->state);
    conversion->state = NULL;
}

bool conversion_wants(const struct profile_format *format, const struct profile_thread *thread)
{
    return format->wants_profd || !profile_thread_is_of_profd(thread);
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct conversion *conversion = owner;

    return conversion_wants(conversion->format, thread) ? conversion_add(conversion, thread) : 0;
}

static int on_counter(void *owner, const struct profile_counter *counter)
{
    return conversion_add_counter(owner, counter);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    return conversion_add_meta(owner, name, json, length);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    return conversion_add_process(owner, is_root, log);
}

static int convert_all(struct conversion *conversion, struct json_reader *reader)
{
    const struct profile_walk_events events =
        conversion_events(conversion->format, (struct profile_walk_events){
                                                  .on_thread = on_thread,
                                                  .on_counter = on_counter,
                                                  .on_meta = on_meta,
                                                  .on_process = on_process,
                                              });
    struct profile_facts facts;
    int err = profile_walk(reader, &events, conversion, &facts);

    return err < 0 ? err : conversion_finish(conversion, &facts);
}

int conversion_run(struct conversion *conversion, struct json_reader *reader)
{
    int err = conversion_begin(conversion);

    if (err == 0)
        err = convert_all(conversion, reader);
    conversion_end(conversion);
    return err;
}
