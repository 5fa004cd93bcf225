/* A snapshot of the calling thread, for tests and benchmarks of the unwinder. */
#ifndef PROFD_TESTS_TAKE_SNAPSHOT_H
#define PROFD_TESTS_TAKE_SNAPSHOT_H

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "child-agent/unwinding/snapshot.h"

static inline uint64_t own_stack_end(void)
{
    static _Thread_local uint64_t end;
    if (end == 0) {
        pthread_attr_t attributes;
        void *start = NULL;
        size_t bytes = 0;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &start, &bytes);
        pthread_attr_destroy(&attributes);
        end = (uint64_t)(uintptr_t)start + bytes;
    }
    return end;
}

/* By hand: what is above rsp of a live stack is no object that a sanitizer knows of. */
__attribute__((no_sanitize("address", "undefined"))) static inline void
copy_stack(struct snapshot_copy *copy, uint64_t rsp)
{
    struct snapshot *snapshot = &copy->snapshot;
    uint64_t bytes = own_stack_end() - rsp;
    snapshot->is_truncated = bytes > SNAPSHOT_STACK_BYTES;
    if (snapshot->is_truncated)
        bytes = SNAPSHOT_STACK_BYTES;
    snapshot->stack = copy->stack;
    snapshot->stack_start = rsp;
    snapshot->stack_bytes = bytes & ~(uint64_t)7;
    volatile uint64_t *to = (volatile uint64_t *)copy->stack;
    const volatile uint64_t *from = (const volatile uint64_t *)(uintptr_t)rsp;
    /* Where this is stepped through, COPY is another step's by the next word. */
    for (size_t i = 0; i < bytes / 8; i++)
        to[i] = from[i];
}

/* What was interrupted, from its handler's context. */
static inline void snapshot_from_context(struct snapshot_copy *copy, const ucontext_t *context)
{
    static const int order[REGISTER_COUNT] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                               REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                               REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };
    for (int i = 0; i < REGISTER_COUNT; i++)
        copy->snapshot.registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    copy_stack(copy, copy->snapshot.registers[REGISTER_RSP]);
}

/* The caller, in the instruction after the call. rbp, rbx and r12 to r15 are as they are then. */
__attribute__((noinline, noclone)) static void take_snapshot(struct snapshot_copy *copy)
{
    ucontext_t context;
    memset(copy->snapshot.registers, 0, sizeof(copy->snapshot.registers));
    getcontext(&context);
    snapshot_from_context(copy, &context);
}

#endif
