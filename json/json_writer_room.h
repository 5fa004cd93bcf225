/* The writer's internals, for the files of this folder that format straight into its chunks. */
#ifndef PROFD_JSON_JSON_WRITER_ROOM_H
#define PROFD_JSON_JSON_WRITER_ROOM_H

#include "json/json_writer.h"

/* The slow path of json_room(): makes room for JSON_SCALAR_MAX_BYTES, after a failure in
 * `scratch`. */
void json_writer_refill(struct json_writer *writer);

/* Returns where the next JSON_SCALAR_MAX_BYTES can be written. Then pass the end of what was
 * written to json_wrote(). */
static inline char *json_room(struct json_writer *writer)
{
    if (__builtin_expect(writer->end - writer->next < JSON_SCALAR_MAX_BYTES, 0))
        json_writer_refill(writer);
    return writer->next;
}

static inline void json_wrote(struct json_writer *writer, char *end)
{
    writer->next = end;
}

/* Room for a value, after the comma that it may need. */
static inline char *json_value_room(struct json_writer *writer)
{
    char *out = json_room(writer);
    *out = ',';
    out += writer->needs_comma;
    writer->needs_comma = true;
    return out;
}

/* Appends LENGTH raw bytes. */
void json_writer_append(struct json_writer *writer, const char *bytes, size_t length);

#endif
