/* The name of a frame of a profile: its function as named by profctl, or its address if it has no
 * name.
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

/* Returns the name of LOCATION, a string of TABLES: that string; "0xOFFSET (in LIBRARY)" for an
 * address in one of LIBRARIES, so that it is the same in all processes; or one name for all
 * addresses that are in none. The result is in OUT or in TABLES, not terminated, with its length in
 * *LENGTH. */
const char *frame_name(const struct thread_tables *tables,
                       const struct process_libraries *libraries, uint32_t location,
                       char out[FRAME_NAME_BYTES], size_t *length);

/* A place in a file, as "file:line" or "file:line:column". */
struct frame_place {
    size_t file_length;    /* of the file name at the start of the text */
    uint32_t line, column; /* column 0: not known */
    size_t length_to_line; /* of the text without its column; valid if HAS_COLUMN */
    bool has_column;
};

/* Returns whether TEXT is such a place, and stores it in *PLACE. */
bool frame_place_split(const char *text, size_t length, struct frame_place *place);

/* The parts of a name; views into it. */
struct frame_name_parts {
    const char *function, *source; /* source NULL: none */
    size_t function_length, source_length;
    bool is_library;       /* SOURCE is a library, else a file … */
    bool has_line;         /* … with a line … */
    uint32_t line, column; /* … counted from 1; 0: not known */
    size_t length_to_line; /* of the name without its column and what follows it */
};

/* Splits names of the forms "function (in library)", "function (file:line:column)" and "function
 * (/file)"; of any other name, everything is the function. */
void frame_name_split(const char *name, size_t length, struct frame_name_parts *parts);

#endif
