/* A snapshot: the registers, the stack and the labels of a thread at one moment. Unwinding looks at
 * nothing else.
 *
 * The stack is the live one if the thread unwinds itself, in a handler or at a marker; it is a copy
 * if another thread unwinds it later. */
#ifndef PROFD_AGENT_SNAPSHOT_H
#define PROFD_AGENT_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SNAPSHOT_STACK_BYTES = 64 * 1024, /* the most that is copied */
    /* The most of a stack that is not the thread's own (a coroutine's, or an alternate signal
     * stack). */
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
    SNAPSHOT_REQUESTED = 1, /* the signal has been sent */
    SNAPSHOT_TAKEN = 2,     /* published by the handler */
    SNAPSHOT_DECLINED = 3,  /* by the handler: the thread was running */
};

/* A label that was on the thread's label stack. */
struct snapshot_label {
    uint64_t stack_address; /* where it was pushed; used to merge it with native frames */
    uint32_t site;
};

/* A part of a stack that may be read. */
struct stack_view {
    uint64_t start, bytes; /* addresses in the program */
    const uint8_t *at;     /* borrowed: the contents, from start */
    uint64_t root;         /* where the outermost frame of the program ends: those further out do
                            * not belong to it; UINT64_MAX: all do */
};

struct snapshot;

/* Finds another stack of the thread, from ADDRESS on. Returns false if that is not available. What
 * this function found earlier may become invalid, and so may the snapshot's own stack if that is a
 * copy. */
typedef bool snapshot_other_stack(const struct snapshot *snapshot, uint64_t address,
                                  struct stack_view *out);

struct snapshot {
    uint32_t label_count;
    bool is_truncated; /* the live stack is larger than the part that may be read */
    uint64_t ticks;
    uint64_t registers[REGISTER_COUNT];
    uint64_t stack_start;              /* address of stack[0]: at rsp, or a red zone before it */
    uint64_t stack_bytes;              /* how much may be read */
    const uint8_t *stack;              /* borrowed */
    snapshot_other_stack *other_stack; /* NULL: the thread has only one stack, or only one is
                                        * known */
    uint64_t own_low, own_high;        /* the thread's own stack, for other_stack */
    uint8_t *foreign;                  /* room for a copy of another stack, for other_stack;
                                        * borrowed, or NULL */
    struct snapshot_label labels[SNAPSHOT_MAX_LABELS]; /* outermost first */
};

/* A snapshot with its own copy of the stack, which a handler fills and publishes for the sampler's
 * thread. Plain memory, owned by the thread's registration. */
struct snapshot_copy {
    _Atomic uint32_t state;    /* enum snapshot_state */
    _Atomic int signal_number; /* the signal that requested it; 0: not sent yet */
    struct snapshot snapshot;
    _Alignas(64) uint8_t stack[SNAPSHOT_STACK_BYTES];
};

#endif
