/* The writer's inside, for the files of this folder that format straight into its chunks. */
#ifndef PROFD_JSON_JSON_WRITER_ROOM_H
#define PROFD_JSON_JSON_WRITER_ROOM_H

#include "json/json_writer.h"

/* Slow side of json_room: makes room for JSON_SCALAR_MAX_BYTES, in the scratch after a failure. */
void json_writer_refill(struct json_writer *writer);

/* Where the next JSON_SCALAR_MAX_BYTES can be written; then tell json_wrote where they end. */
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

/* Room for a value, behind the comma that it may need. */
static inline char *json_value_room(struct json_writer *writer)
{
    char *out = json_room(writer);
    *out = ',';
    out += writer->needs_comma;
    writer->needs_comma = true;
    return out;
}

/* Raw bytes, however many. */
void json_writer_append(struct json_writer *writer, const char *bytes, size_t length);

#endif
