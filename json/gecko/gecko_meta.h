/* The part of "meta" that the root and its processes have in common. The loader reads a
 * sub-process' categories against the root's list and keeps the first marker schema of a name, so
 * all are written by the same code; profctl brings those together that are a program's own. */
#ifndef PROFD_JSON_GECKO_META_H
#define PROFD_JSON_GECKO_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/gecko/gecko_categories.h"
#include "json/gecko/gecko_marker_types.h"
#include "json/json_writer.h"

enum { GECKO_VERSION = 36 };

/* The type of the payload of markers with text; its field is "name". */
#define GECKO_TEXT_MARKER "Text"

/* The type of the payload of markers about unregistered threads. */
#define GECKO_UNREGISTERED_THREAD_MARKER "UnregisteredThread"

/* Whether viewers or we have a marker type of that name already. */
bool gecko_has_marker_type(const char *name, size_t length);

/* The "library" of addresses that are in none: code that the program generated. */
#define GECKO_GENERATED_CODE "[generated code]"

/* Version, start time, categories and marker schemas, those of CATEGORIES and TYPES (may be NULL)
 * among them, as members of the open object. */
void gecko_stream_common_meta(struct json_writer *writer, uint64_t reference_unix_ns,
                              const struct gecko_categories *categories,
                              const struct marker_types *types);

/* "sources", as a member: there are none, but the loader wants the table. */
void gecko_stream_sources(struct json_writer *writer);

/* Processes that follow each other under one pid (exec) must differ, or viewers merge them. */
int64_t gecko_unique_pid(int32_t pid, uint32_t later_images);
/* The pid that UNIQUE_PID was made of. */
int64_t gecko_real_pid(int64_t unique_pid);

#endif
