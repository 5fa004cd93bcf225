/* Unwinds a thread from the copy of its stack, off-thread.
 *
 * Fast path: a cache from code address to a compact rule (CFA = register + offset, where rbp and
 * the return address are), filled from .eh_frame when an address is first seen. What a rule can't
 * express goes to libunwind's cursor over the same copy, then to frame pointers. Nothing of the
 * program is called, held or waited for: tables of libraries that may be unloaded are read from
 * private copies, and of the stack only the copy is looked at. Sampler thread only; survives any
 * bytes in the copy. */
#ifndef PROFD_AGENT_UNWINDER_H
#define PROFD_AGENT_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/sampler/snapshot.h"

enum { UNWIND_MAX_FRAMES = 1024 };

/* A native frame, innermost first in the arrays here. */
struct unwind_frame {
    uint64_t address;       /* pc of the innermost, return addresses of the others */
    uint64_t stack_address; /* its canonical frame address (CFA); rsp where that isn't known */
};

/* How frames were found, and why some were not; for tests and benchmarks. */
struct unwind_statistics {
    uint64_t frames_cached; /* rule was in the cache */
    uint64_t frames_filled; /* rule read from .eh_frame */
    uint64_t frames_libunwind;
    uint64_t frames_pointer; /* by frame pointer */
    uint64_t ended_at_root;  /* stacks that ended as they should */
    uint64_t ended_broken;   /* nothing could tell the caller */
};

struct unwinder;   /* opaque */
struct module_map; /* child-agent/unwinding/modules.h */

/* MODULES is borrowed: it tells which library an address is in. Memory from mmap. -ENOMEM. */
int unwinder_create(struct module_map *modules, struct unwinder **out);
void unwinder_destroy(struct unwinder *unwinder);

/* Unwinds SNAPSHOT into FRAMES (room for CAPACITY). Returns the number of frames (at least 1: the
 * pc). *IS_COMPLETE tells whether the root was reached. Frames at or beyond ROOT_STACK_ADDRESS
 * (CFA; 0: none) end the walk: that is where the agent's own thread trampoline starts. */
size_t unwinder_walk(struct unwinder *unwinder, const struct snapshot *snapshot,
                     uint64_t root_stack_address, struct unwind_frame *frames, size_t capacity,
                     bool *is_complete);

/* The same by libunwind's cursor alone: the reference for tests and benchmarks. */
size_t unwinder_walk_reference(struct unwinder *unwinder, const struct snapshot *snapshot,
                               struct unwind_frame *frames, size_t capacity);

void unwinder_get_statistics(const struct unwinder *unwinder, struct unwind_statistics *out);

#endif
