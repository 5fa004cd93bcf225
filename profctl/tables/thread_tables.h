/* The stringTable, frameTable and stackTable of one thread of a Gecko profile, read into memory.
 *
 * Every index is checked as it is read, so what is here can be followed blindly. Memory is reused
 * from thread to thread. One thread. */
#ifndef PROFD_PROFCTL_THREAD_TABLES_H
#define PROFD_PROFCTL_THREAD_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

#define TABLE_NONE UINT32_MAX /* null where an index could be */

struct table_frame {
    uint32_t location; /* a string */
    uint32_t line;     /* 0: none */
    uint32_t script; /* 0: none; frames of two scripts are not the same, whatever they are called */
    uint32_t category, subcategory;
    uint32_t file;   /* that the line is in, a string; TABLE_NONE: not known */
    uint32_t tier;   /* of its compiler, a string; TABLE_NONE: not known */
    bool is_inlined; /* in the function of the frame that it is called from */
};

struct table_stack {
    uint32_t prefix; /* TABLE_NONE, or below its own index */
    uint32_t frame;
    uint32_t id; /* of the node that it is in the file; 0: it has none */
};

struct table_string {
    size_t offset, length;
};

/* The latest table that was read. */
enum table_stage { TABLES_NONE, TABLES_STRINGS, TABLES_FRAMES, TABLES_STACKS };

/* A zeroed struct is empty. */
struct thread_tables {
    enum table_stage stage;
    struct mapped_array bytes;   /* char */
    struct mapped_array strings; /* struct table_string */
    struct mapped_array frames;  /* struct table_frame */
    struct mapped_array stacks;  /* struct table_stack */
};

void thread_tables_free(struct thread_tables *tables);

/* Drops the thread but keeps the memory. */
void thread_tables_clear(struct thread_tables *tables);

/* Each reads one member's value; READER has just returned its key. Strings come before frames and
 * frames before stacks, each once. Returns 0, -EPROTO if it is not such a table, -ENOMEM, or the
 * reader's error. */
int thread_tables_read_strings(struct thread_tables *tables, struct json_reader *reader);
int thread_tables_read_frames(struct thread_tables *tables, struct json_reader *reader);
int thread_tables_read_stacks(struct thread_tables *tables, struct json_reader *reader);

/* A node of a profile that is a call tree: a stack with a frame and a string of its own. */
struct table_node {
    const char *location;
    size_t length;
    uint32_t prefix; /* TABLE_NONE, or the index of a stack that is there */
    uint32_t script, id;
};

/* Appends it; its stack, frame and string have the number of those before as their index. Returns
 * 0, -ENOMEM, or -E2BIG. */
int thread_tables_add_node(struct thread_tables *tables, const struct table_node *node);

/* A view, valid until strings are read again; not terminated. */
const char *thread_tables_string(const struct thread_tables *tables, uint32_t index,
                                 size_t *length);
/* Returns whether the string is an address ("0x…"), and which. */
bool thread_tables_address(const struct thread_tables *tables, uint32_t index, uint64_t *address);
const struct table_frame *thread_tables_frame(const struct thread_tables *tables, uint32_t index);
const struct table_stack *thread_tables_stack(const struct thread_tables *tables, uint32_t index);

#endif
