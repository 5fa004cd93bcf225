/* Reads a .cpuprofile (Profiler.Profile of the DevTools protocol: V8, Node.js, Chrome) as one
 * thread of the walk: a call tree, the node that was on top at each sample, and the microseconds
 * between samples.
 *
 * Its members may come in any order. After they have been read, everything is checked, and nodes
 * become stacks. Nodes may list their children or name their parent. Times are relative to the
 * profile's start; samples may step back in time, as those of V8 do. There is no CPU use.
 *
 * Error messages go to the reader (json_reader_error()). One thread. */
#ifndef PROFD_PROFCTL_CPUPROFILE_H
#define PROFD_PROFCTL_CPUPROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/unique_strings.h"
#include "profctl/profile/thread_samples.h"
#include "profctl/tables/thread_tables.h"

/* A node as in the file. */
struct cpuprofile_node {
    uint32_t id, parent_id;     /* 0: not known */
    uint32_t function, url;     /* indices in the texts */
    uint32_t script;            /* index in the scripts; 0: none */
    uint32_t line, column;      /* counted from 1; 0: not known */
    uint32_t first_child_place; /* index of the first in the children … */
    uint32_t child_count;       /* … and how many there are */
};

enum cpuprofile_member {
    CPUPROFILE_NODES,
    CPUPROFILE_SAMPLES,
    CPUPROFILE_DELTAS,
    CPUPROFILE_LISTS
};

/* Initialised by cpuprofile_init(). */
struct cpuprofile {
    bool is_there;              /* a member of such a file was read */
    bool has[CPUPROFILE_LISTS]; /* which ones */
    struct failure_latch latch;
    struct unique_strings texts;   /* functions and URLs */
    struct unique_strings scripts; /* ids of scripts; "0", which is none, is the first */
    struct mapped_array nodes;     /* struct cpuprofile_node; the first is the root */
    struct mapped_array children;  /* uint32_t: ids */
    struct mapped_array samples;   /* uint32_t: ids */
    struct mapped_array deltas;    /* double: µs since the previous sample */
};

void cpuprofile_init(struct cpuprofile *profile);
void cpuprofile_free(struct cpuprofile *profile);

/* Returns whether the root's key that READER has just returned occurs in such files, and in no
 * other profile. */
bool cpuprofile_has_member(struct json_reader *reader);

/* Reads the value of that member. Returns 0, -EPROTO, -ENOMEM, or the reader's error. */
int cpuprofile_read_member(struct cpuprofile *profile, struct json_reader *reader);

/* Called after everything was read: turns the nodes, including the root, into stacks, and makes
 * samples. TABLES and SAMPLES must be empty. Error messages go to READER. Returns 0, -EPROTO or
 * -ENOMEM. */
int cpuprofile_settle(const struct cpuprofile *profile, struct thread_tables *tables,
                      struct thread_samples *samples, struct json_reader *reader);

#endif
