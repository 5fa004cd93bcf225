/* The part of "meta" that the root and its processes have in common. The loader matches a
 * sub-process's categories against the root's list, and keeps the first marker schema of a name, so
 * the same code writes all of them. profctl merges those that programs define themselves. */
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

/* Whether viewers, or profd itself, already have a marker type of that name. */
bool gecko_has_marker_type(const char *name, size_t length);

/* The "library" of addresses outside all libraries: code that the program generated. */
#define GECKO_GENERATED_CODE "[generated code]"

/* Writes version, start time, categories and marker schemas, including those of CATEGORIES and
 * TYPES (may be NULL), as members of the open object. */
void gecko_stream_common_meta(struct json_writer *writer, uint64_t reference_unix_ns,
                              const struct gecko_categories *categories,
                              const struct marker_types *types);

/* Writes "sources" as a member: it is empty, but the loader requires the table. */
void gecko_stream_sources(struct json_writer *writer);

/* A pid that is unique in a profile: successive programs of one pid (exec) must differ, or viewers
 * merge them. */
int64_t gecko_unique_pid(int32_t pid, uint32_t later_images);
/* The pid from which UNIQUE_PID was made. */
int64_t gecko_real_pid(int64_t unique_pid);

#endif
