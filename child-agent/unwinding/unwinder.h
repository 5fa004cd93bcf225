/* Unwinds a thread from a snapshot of it, also for the calling thread in a signal handler.
 *
 * The fast path is a cache from code address to a compact rule (CFA = register + offset, and where
 * rbp and the return address are), which is filled from .eh_frame when an address is first seen.
 * Code without tables is passed by frame pointers. Where the tables say something that cannot be
 * followed, the stack ends. Nothing of the program is called, held or waited for: the tables of
 * libraries that may be unloaded are read from private copies, and of the stack only what the
 * snapshot contains. Any number of threads and signal handlers may unwind at the same time. Only
 * filling the cache is limited to one at a time; whoever cannot wait for that gets a stack that
 * ends there. The stack may contain any bytes. */
#ifndef PROFD_AGENT_UNWINDER_H
#define PROFD_AGENT_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"

enum { UNWIND_MAX_FRAMES = 1024 };

/* A native frame. Arrays of frames have the innermost first. */
struct unwind_frame {
    uint64_t address;       /* pc of the innermost frame, return address of the others */
    uint64_t stack_address; /* its canonical frame address (CFA); rsp if that is not known */
};

/* How frames were found, and why some were not. For tests and benchmarks. */
struct unwind_statistics {
    uint64_t frames_cached;  /* rule was in the cache */
    uint64_t frames_filled;  /* rule read from .eh_frame */
    uint64_t frames_pointer; /* by frame pointer */
    uint64_t ended_at_root;  /* stacks that ended properly */
    uint64_t ended_broken;   /* stacks whose next caller could not be found */
};

struct unwinder;   /* opaque */
struct module_map; /* child-agent/unwinding/modules.h */

/* Creates an unwinder. MODULES (borrowed) says which library an address is in. Memory comes from
 * mmap. Returns 0 or -ENOMEM. */
int unwinder_create(struct module_map *modules, struct unwinder **out);
void unwinder_destroy(struct unwinder *unwinder);

/* Unwinds SNAPSHOT into FRAMES (room for CAPACITY). Returns the number of frames, at least 1 (the
 * pc). *IS_COMPLETE says whether the root was reached. The walk ends with the frame whose CFA is
 * ROOT_STACK_ADDRESS (0: none), or before one whose CFA is beyond it, as the agent's own function
 * is that threads begin with. If UNWINDER is NULL, because there was no memory, the result is only
 * the pc. */
size_t unwinder_walk(struct unwinder *unwinder, const struct snapshot *snapshot,
                     uint64_t root_stack_address, struct unwind_frame *frames, size_t capacity,
                     bool *is_complete);

/* Returns whether the frames of the function at ADDRESS have one size, as far as its code can be
 * read. Not in signal handlers. Defined in unwinder_function.c. */
bool unwinder_has_fixed_frame(struct unwinder *unwinder, uint64_t address);

/* Gets the statistics since the beginning. Some counts are lost when threads unwind at the same
 * time. */
void unwinder_get_statistics(const struct unwinder *unwinder, struct unwind_statistics *out);

#endif
