#include "profctl/convert/conversion.h"

static int write_bytes(void *context, const char *bytes, size_t count)
{
    struct conversion *conversion = context;
    int error = conversion->write(conversion->context, bytes, count);

    if (error < 0 && conversion->write_error == 0)
        conversion->write_error = error;
    return error;
}

int conversion_begin(struct conversion *conversion)
{
    return conversion->format->begin(write_bytes, conversion, &conversion->state);
}

void conversion_merge_exited(struct conversion *conversion, size_t apart)
{
    conversion->format->merge_exited(conversion->state, apart);
}

int conversion_compare(struct conversion *conversion, const struct profile_comparison *comparison)
{
    return conversion->format->compare(conversion->state, comparison);
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
