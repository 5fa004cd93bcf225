/* A .cpuprofile (Profiler.Profile of the DevTools protocol: V8, Node.js, Chrome) as a thread of the
 * walk: a call tree, the node that was on top at each sample, and the microseconds between them.
 *
 * Its members come in any order and are read as they come; then all of it is checked, and nodes
 * become stacks. Nodes may name their children or their parent. Times count from the profile's
 * start; samples may step back in time, as V8's do. CPU use is not told.
 *
 * Messages about what is wrong go to the reader (json_reader_error()). One thread. */
#ifndef PROFD_PROFCTL_CPUPROFILE_H
#define PROFD_PROFCTL_CPUPROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/unique_strings.h"
#include "profctl/profile/thread_samples.h"
#include "profctl/tables/thread_tables.h"

/* As it stands in the file. */
struct cpuprofile_node {
    uint32_t id, parent_id;     /* 0: not told */
    uint32_t function, url;     /* of the texts */
    uint32_t script;            /* of the scripts; 0: none */
    uint32_t line, column;      /* from 1 on; 0: not told */
    uint32_t first_child_place; /* among the children … */
    uint32_t child_count;       /* … so many */
};

enum cpuprofile_member {
    CPUPROFILE_NODES,
    CPUPROFILE_SAMPLES,
    CPUPROFILE_DELTAS,
    CPUPROFILE_LISTS
};

/* Initialised by cpuprofile_init(). */
struct cpuprofile {
    bool is_there;              /* one of its members was read */
    bool has[CPUPROFILE_LISTS]; /* that one */
    struct failure_latch latch;
    struct unique_strings texts;   /* functions and URLs */
    struct unique_strings scripts; /* ids of scripts; "0", which is none, is the first */
    struct mapped_array nodes;     /* struct cpuprofile_node; the first is the root */
    struct mapped_array children;  /* uint32_t: ids */
    struct mapped_array samples;   /* uint32_t: ids */
    struct mapped_array deltas;    /* double: us since the sample before */
};

void cpuprofile_init(struct cpuprofile *profile);
void cpuprofile_free(struct cpuprofile *profile);

/* Whether the root's key that READER has just returned is one that such a file has, and no other
 * profile. */
bool cpuprofile_has_member(struct json_reader *reader);

/* Reads that member's value. 0, -EPROTO, -ENOMEM, or the reader's error. */
int cpuprofile_read_member(struct cpuprofile *profile, struct json_reader *reader);

/* All was read: makes stacks of the nodes, the root's among them, and samples, both of which were
 * cleared. What is wrong is told to READER. 0, -EPROTO or -ENOMEM. */
int cpuprofile_settle(const struct cpuprofile *profile, struct thread_tables *tables,
                      struct thread_samples *samples, struct json_reader *reader);

#endif
