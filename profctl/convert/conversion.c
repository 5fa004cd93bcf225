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

static int on_thread(void *owner, const struct profile_thread *thread)
{
    return profile_thread_is_of_profd(thread) ? 0 : conversion_add(owner, thread);
}

static int convert_all(struct conversion *conversion, struct json_reader *reader)
{
    static const struct profile_walk_events events = { .on_thread = on_thread };
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
