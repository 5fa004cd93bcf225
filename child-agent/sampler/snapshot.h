/* A snapshot: what the signal handler copied of a thread, and all that unwinding may look at.
 *
 * Plain memory owned by the thread's registration. The handler fills it and publishes; the sampler
 * thread reads it. */
#ifndef PROFD_AGENT_SNAPSHOT_H
#define PROFD_AGENT_SNAPSHOT_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    SNAPSHOT_STACK_BYTES = 64 * 1024, /* copied at most */
    /* Of a stack that is not the thread's own (a coroutine's, or an alternate signal stack). */
    SNAPSHOT_FOREIGN_STACK_BYTES = 32 * 1024,
    SNAPSHOT_MAX_LABELS = 64,
};

/* The registers of x86-64 in DWARF's order: rax rdx rcx rbx rsi rdi rbp rsp r8 … r15, rip. */
enum {
    REGISTER_RBX = 3,
    REGISTER_RBP = 6,
    REGISTER_RSP = 7,
    REGISTER_RIP = 16,
    REGISTER_COUNT = 17
};

enum snapshot_state {
    SNAPSHOT_EMPTY = 0,
    SNAPSHOT_REQUESTED = 1, /* the signal is on its way */
    SNAPSHOT_TAKEN = 2,     /* published by the handler */
};

/* A label that was on the thread's label stack. */
struct snapshot_label {
    uint64_t stack_address; /* where it was pushed: merges it with native frames */
    uint32_t site;
};

struct snapshot {
    _Atomic uint32_t state;
    uint32_t label_count;
    uint64_t ticks;
    uint64_t registers[REGISTER_COUNT];
    uint64_t stack_start;                              /* address of stack[0]; equals rsp */
    uint32_t stack_bytes;                              /* copied */
    uint32_t is_truncated;                             /* the live stack was larger */
    struct snapshot_label labels[SNAPSHOT_MAX_LABELS]; /* outermost first */
    _Alignas(64) uint8_t stack[SNAPSHOT_STACK_BYTES];
};

#endif
