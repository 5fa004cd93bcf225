/* The generated code of one process of a capture: where its lists are, and whether to believe them.
 *
 * /tmp/perf-PID.map, and the jitdump that the process had mapped (which is how a jitdump makes
 * itself known). They are looked for when the first address needs them. A process that still lives
 * is looked at in its own root and by its own process id, in whatever namespaces it is. Anybody may
 * make such files: one counts only when it is a regular file of the process' user, of profctl's, or
 * of root, was made before the process ended and written to after it began, and is not too large.
 * One thread. */
#ifndef PROFD_PROFCTL_JIT_PROCESS_H
#define PROFD_PROFCTL_JIT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profctl/symbols/jit_code.h"

enum jit_list_kind { JIT_PERF_MAP, JIT_DUMP };

/* Lists that were kept with the capture. */
struct jit_archive {
    /* The list of KIND of process PID (as in the capture), which the caller closes; NULL: there is
     * none. */
    FILE *(*open)(void *context, int64_t pid, enum jit_list_kind kind);
    void *context;
};

/* What the capture says about the process. A zeroed one is a process of which nothing is known, and
 * has no generated code. */
struct jit_process {
    int64_t pid;      /* as in the capture: unique there, and what the process calls itself */
    int64_t pid_here; /* what this process' namespace calls it; 0: not known, the same */
    int64_t user;
    bool knows_user;
    double start_ms, end_ms;           /* since the epoch; end 0: it lived at the capture */
    char *dump_path;                   /* owned; NULL: none was mapped */
    const struct jit_archive *archive; /* borrowed; looked at instead of files; NULL: none */
    bool is_read;
    struct jit_code code;
};

/* The function at ADDRESS, as jit_code_find(). *ERR is 0 or -ENOMEM. */
bool jit_process_find(struct jit_process *process, uint64_t address, struct jit_function *out,
                      int *error);

/* Opens the believed lists of PROCESS, one after the other, for TAKE, which reads from FILE: how
 * many names it got of it in *NAMES. TAKE returns 0, or an error, which is passed on. The archive
 * plays no part. */
typedef int (*jit_take_list)(void *context, FILE *file, enum jit_list_kind kind, size_t *names);
int jit_process_visit_lists(const struct jit_process *process, jit_take_list take, void *context);

/* Returns whether PATH is one that only a jitdump has: ".../jit-PID.dump". */
bool jit_is_dump_path(const char *path);

/* Back to a zeroed struct. */
void jit_process_clear(struct jit_process *process);

#endif
