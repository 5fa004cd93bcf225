/* Unwinds a thread from a snapshot of it, also of the calling thread in a signal handler.
 *
 * Fast path: a cache from code address to a compact rule (CFA = register + offset, where rbp and
 * the return address are), filled from .eh_frame when an address is first seen. Code that has no
 * tables is passed by frame pointers; where tables say what a rule cannot express, the stack ends.
 * Nothing of the program is called, held or waited for: tables of libraries that may be unloaded
 * are read from private copies, and of the stack only what the snapshot shows. Any thread and any
 * signal handler, at the same time: only what the cache lacks is for one at a time, and who cannot
 * wait for that gets a stack that ends there. Survives any bytes in the stack. */
#ifndef PROFD_AGENT_UNWINDER_H
#define PROFD_AGENT_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"

enum { UNWIND_MAX_FRAMES = 1024 };

/* A native frame, innermost first in the arrays here. */
struct unwind_frame {
    uint64_t address;       /* pc of the innermost, return addresses of the others */
    uint64_t stack_address; /* its canonical frame address (CFA); rsp where that isn't known */
};

/* How frames were found, and why some were not; for tests and benchmarks. */
struct unwind_statistics {
    uint64_t frames_cached;  /* rule was in the cache */
    uint64_t frames_filled;  /* rule read from .eh_frame */
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
 * (CFA; 0: none) end the walk: that is where the agent's own thread trampoline starts. Without an
 * UNWINDER (NULL: there was no memory) the pc is all. */
size_t unwinder_walk(struct unwinder *unwinder, const struct snapshot *snapshot,
                     uint64_t root_stack_address, struct unwind_frame *frames, size_t capacity,
                     bool *is_complete);

/* Since the beginning; some are lost when threads unwind at the same time. */
void unwinder_get_statistics(const struct unwinder *unwinder, struct unwind_statistics *out);

#endif
