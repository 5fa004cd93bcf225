#include "profctl/view/view_profile.h"

#include "profctl/convert/conversion.h"
#include "profctl/profile/profile_walk.h"

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

int view_profile_make(struct json_reader *reader, int fd, int *write_error)
{
    const struct profile_walk_events events = conversion_events(
        &format_processed, (struct profile_walk_events){ .on_thread = on_thread,
                                                         .on_counter = on_counter,
                                                         .on_meta = on_meta,
                                                         .on_process = on_process });
    struct conversion conversion = { .format = &format_processed,
                                     .write = json_sink_fd,
                                     .context = &fd };
    struct profile_facts facts;
    int error = conversion_begin(&conversion);

    if (error == 0)
        error = profile_walk(reader, &events, &conversion, &facts);
    if (error == 0)
        error = conversion_finish(&conversion, &facts);
    conversion_end(&conversion);
    *write_error = conversion.write_error;
    return error;
}
