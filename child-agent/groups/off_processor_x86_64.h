/* Restartable sequences of x86-64. Included by off_processor.h only. */
#ifndef PROFD_AGENT_OFF_PROCESSOR_X86_64_H
#define PROFD_AGENT_OFF_PROCESSOR_X86_64_H

#include <stddef.h>
#include <sys/rseq.h>

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* The agent's sequence, which is never run. */
extern struct rseq_cs off_processor_sequence __attribute__((visibility("hidden")));

static inline struct rseq *off_processor_rseq(void)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static inline bool off_processor_is_known(void)
{
    return &__rseq_size != NULL && __rseq_size != 0;
}

static inline void off_processor_watch(void)
{
    __atomic_store_n(&off_processor_rseq()->rseq_cs, (uint64_t)(uintptr_t)&off_processor_sequence,
                     __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline bool off_processor_was(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&off_processor_rseq()->rseq_cs, __ATOMIC_RELAXED) !=
           (uint64_t)(uintptr_t)&off_processor_sequence;
}

static inline uint32_t off_processor_current(void)
{
    return __atomic_load_n(&off_processor_rseq()->cpu_id_start, __ATOMIC_RELAXED);
}

#endif
