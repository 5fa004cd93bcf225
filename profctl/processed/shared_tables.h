/* The tables that all threads of a processed profile share: strings, libraries, functions, frames
 * and stacks. Each row is stored once, however many threads and processes use it.
 *
 * They stay in memory until all threads have been read; samples and markers do not. One thread. */
#ifndef PROFD_PROFCTL_SHARED_TABLES_H
#define PROFD_PROFCTL_SHARED_TABLES_H

#include <stdint.h>

#include "json/failure_latch.h"
#include "json/json_writer.h"
#include "json/unique_strings.h"
#include "profctl/processed/columns.h"
#include "profctl/profile/function_name.h"
#include "profctl/tables/process_libraries.h"

/* Which fields of a frame are valid; the numbers are those of the viewer. */
enum shared_frame_flag {
    FRAME_IS_INLINED = 1,
    FRAME_IS_NATIVE = 2, /* address and library */
    FRAME_HAS_CATEGORY = 4,
    FRAME_HAS_SYMBOL = 8,
    FRAME_HAS_LINE = 16,
};

/* Fields are as wide as in the viewer; missing ones are 0. */
struct shared_frame {
    uint32_t flags;   /* enum shared_frame_flag */
    uint32_t address; /* in the library's file; for a caller, inside the call */
    uint32_t category, subcategory;
    uint32_t function, library, symbol;
    uint32_t line;
};

/* A symbol of the linker. */
struct shared_symbol {
    uint32_t library, address, name;
    uint32_t size; /* 0: not known */
};

/* Rows are stored as the bytes of unique strings. A failure is latched, and rows are UNIQUE_NONE
 * from then on. */
struct shared_tables {
    struct failure_latch latch;
    struct unique_strings strings;
    struct unique_strings libraries; /* name, path, build id and debug id, each terminated */
    struct unique_strings resources, sources, functions, symbols, frames, stacks;
};

/* Initialize TABLES as empty, and free it. */
void shared_tables_init(struct shared_tables *tables);
void shared_tables_fini(struct shared_tables *tables);

/* Each returns the number of the row, which is added if it is new. */
uint32_t shared_tables_string(struct shared_tables *tables, const char *text, size_t length);
uint32_t shared_tables_library(struct shared_tables *tables, const struct process_library *library);
uint32_t shared_tables_source(struct shared_tables *tables, const char *file, size_t length);
/* SOURCE is the file of a native function; UNIQUE_NONE: not known. */
uint32_t shared_tables_function(struct shared_tables *tables, const struct function_name *name,
                                uint32_t source);
uint32_t shared_tables_symbol(struct shared_tables *tables, const struct shared_symbol *symbol);
uint32_t shared_tables_frame(struct shared_tables *tables, const struct shared_frame *frame);
/* PREFIX UNIQUE_NONE: FRAME is outermost. The number of a prefix is less than those of the stacks
 * on top of it. */
uint32_t shared_tables_stack(struct shared_tables *tables, uint32_t prefix, uint32_t frame);

/* Returns 0, or the first failure. */
int shared_tables_error(const struct shared_tables *tables);

/* Write the member "libs" of a profile, and the value of its member "shared". Nothing may be added
 * afterwards. */
void shared_tables_write_libraries(const struct shared_tables *tables, struct json_writer *writer);
void shared_tables_write(const struct shared_tables *tables, const struct column_output *output);

#endif
