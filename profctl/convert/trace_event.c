#include "profctl/convert/trace_event.h"

/* Numbers that are not told are 0. */
static uint64_t number_of(double id)
{
    return id >= 0 && id < 4294967296.0 ? (uint64_t)id : 0;
}

void trace_event_begin(struct json_writer *json, const char *phase, const struct trace_place *place)
{
    json_start_object(json);
    json_string_property(json, "ph", phase);
    json_u64_property(json, "pid", number_of(place->pid));
    json_u64_property(json, "tid", number_of(place->tid));
}

void trace_event_name(struct json_writer *json, const struct trace_place *place, const char *what,
                      const char *name)
{
    trace_event_begin(json, "M", place);
    json_string_property(json, "name", what);
    json_start_object_property(json, "args");
    json_string_property(json, "name", name);
    json_end_object(json);
    json_end_object(json);
}
