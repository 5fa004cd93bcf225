#include <stddef.h>
#include <sys/rseq.h>

#include "child-agent/groups/off_processor.h"

/* What the kernel checks before it ends a sequence: a signature in front of the address where it
 * would go on. The sequence itself is one instruction that nobody runs, so it never goes there. */
__asm__(".pushsection .text.profd_rseq, \"ax\", @progbits\n"
        ".long 0x53053053\n"
        "profd_rseq_abort_: ud2\n"
        "profd_rseq_start_: ud2\n"
        ".popsection\n");

extern const char profd_rseq_abort_[] __attribute__((visibility("hidden")));
extern const char profd_rseq_start_[] __attribute__((visibility("hidden")));

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static struct rseq_cs sequence __attribute__((aligned(32))) = {
    .start_ip = (uintptr_t)profd_rseq_start_,
    .post_commit_offset = 1,
    .abort_ip = (uintptr_t)profd_rseq_abort_,
};

static struct rseq *own_rseq(void)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static uint64_t sequence_address(void)
{
    return (uint64_t)(uintptr_t)&sequence;
}

bool off_processor_is_known(void)
{
    return &__rseq_size != NULL && __rseq_size != 0;
}

void off_processor_watch(void)
{
    __atomic_store_n(&own_rseq()->rseq_cs, sequence_address(), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool off_processor_was(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&own_rseq()->rseq_cs, __ATOMIC_RELAXED) != sequence_address();
}

uint32_t off_processor_current(void)
{
    return off_processor_is_known() ? __atomic_load_n(&own_rseq()->cpu_id_start, __ATOMIC_RELAXED)
                                    : 0;
}
