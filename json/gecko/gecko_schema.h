/* Tables of a Gecko profile: { "schema": { column: index … }, "data": [ row … ] }. */
#ifndef PROFD_JSON_GECKO_SCHEMA_H
#define PROFD_JSON_GECKO_SCHEMA_H

#include "json/json_writer.h"

/* Opens a table with COLUMNS (NULL-terminated); its rows, as arrays, must come next. */
void gecko_start_table(struct json_writer *writer, const char *const *columns);
void gecko_end_table(struct json_writer *writer);

extern const char *const gecko_frame_columns[];
extern const char *const gecko_stack_columns[];
extern const char *const gecko_sample_columns[];
extern const char *const gecko_marker_columns[];

#endif
