/* What a frame of a profile is called: its function, as profctl named it, or where it is when
 * nobody did.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_FRAME_NAME_H
#define PROFD_PROFCTL_FRAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/tables/process_libraries.h"
#include "profctl/tables/thread_tables.h"

enum { FRAME_NAME_BYTES = 512 }; /* for an address and its library */

/* The name of LOCATION, a string of TABLES: that string; "0xOFFSET (in LIBRARY)" for an address in
 * one of LIBRARIES, so that it is the same in all processes; or one name for all that was in none.
 * In OUT, or in TABLES; not terminated, of *LENGTH. */
const char *frame_name(const struct thread_tables *tables,
                       const struct process_libraries *libraries, uint32_t location,
                       char out[FRAME_NAME_BYTES], size_t *length);

/* A place in a file, as "file:line" or "file:line:column". */
struct frame_place {
    size_t file_length;    /* which the text begins with */
    uint32_t line, column; /* column 0: not told */
    size_t length_to_line; /* of the text, without its column; of use when HAS_COLUMN */
    bool has_column;
};

/* Whether TEXT is such a place, which is in *PLACE then. */
bool frame_place_split(const char *text, size_t length, struct frame_place *place);

/* The parts of such a name; views into it. */
struct frame_name_parts {
    const char *function, *source; /* source NULL: it tells none */
    size_t function_length, source_length;
    bool is_library;       /* what SOURCE is, or else a file … */
    bool has_line;         /* … with a line … */
    uint32_t line, column; /* … from 1 on; 0: not told */
    size_t length_to_line; /* of the name, without its column and what is behind that */
};

/* Takes "function (in library)", "function (file:line:column)" and "function (/file)" apart; of any
 * other name all is the function. */
void frame_name_split(const char *name, size_t length, struct frame_name_parts *parts);

#endif
