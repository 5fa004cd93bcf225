/* A snapshot: the registers, the stack and the labels of a thread at one moment, which is all that
 * unwinding looks at.
 *
 * The stack is the live one if the thread unwinds itself, in a handler or at a marker, and a copy
 * for a reader that unwinds it later. */
#ifndef PROFD_AGENT_SNAPSHOT_H
#define PROFD_AGENT_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
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

/* A stretch of stack, as far as it may be looked at. */
struct stack_view {
    uint64_t start, bytes; /* of the program's addresses */
    const uint8_t *at;     /* borrowed: what is at start */
    uint64_t root;         /* frames that end there or further out are none of the program's;
                              UINT64_MAX: all are */
};

struct snapshot;

/* Shows another stack of the thread from ADDRESS on. False: there is none to be had. What was shown
 * before by this function may be gone then, and the snapshot's own stack, too, where it is a copy.
 */
typedef bool snapshot_other_stack(const struct snapshot *snapshot, uint64_t address,
                                  struct stack_view *out);

struct snapshot {
    uint32_t label_count;
    bool is_truncated; /* the live stack is larger than what may be looked at */
    uint64_t ticks;
    uint64_t registers[REGISTER_COUNT];
    uint64_t stack_start;              /* address of stack[0]: at rsp, or a red zone before it */
    uint64_t stack_bytes;              /* that may be looked at */
    const uint8_t *stack;              /* borrowed */
    snapshot_other_stack *other_stack; /* NULL: the thread has one, or only one is known */
    uint64_t own_low, own_high;        /* the thread's own stack, for other_stack */
    uint8_t *foreign;                  /* room for a copy of another, likewise; borrowed, or NULL */
    struct snapshot_label labels[SNAPSHOT_MAX_LABELS]; /* outermost first */
};

/* A snapshot with a stack of its own, which a handler fills and publishes for the sampler thread.
 * Plain memory owned by the thread's registration. */
struct snapshot_copy {
    _Atomic uint32_t state;    /* enum snapshot_state */
    _Atomic int signal_number; /* by which it was requested; 0: not sent yet */
    struct snapshot snapshot;
    _Alignas(64) uint8_t stack[SNAPSHOT_STACK_BYTES];
};

#endif
