#include "profctl/convert/conversion.h"

static int write_bytes(void *context, const char *bytes, size_t count)
{
    struct conversion *conversion = context;
    int err = conversion->write(conversion->context, bytes, count);

    if (err < 0 && conversion->write_error == 0)
        conversion->write_error = err;
    return err;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct conversion *conversion = owner;

    if (profile_thread_is_of_profd(thread))
        return 0;
    conversion->threads++;
    return conversion->format->add_thread(conversion->state, thread);
}

static int convert_all(struct conversion *conversion, struct json_reader *reader)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
    struct profile_facts facts;
    int err = profile_walk(reader, &events, conversion, &facts);

    return err < 0 ? err : conversion->format->finish(conversion->state, &facts);
}

int conversion_run(struct conversion *conversion, struct json_reader *reader)
{
    int err = conversion->format->begin(write_bytes, conversion, &conversion->state);

    if (err == 0)
        err = convert_all(conversion, reader);
    if (conversion->state != NULL)
        conversion->format->end(conversion->state);
    conversion->state = NULL;
    return err;
}
