#include "child-agent/groups/off_processor.h"

/* What the kernel checks before it ends a sequence: a signature in front of the address where it
 * would continue. The sequence itself is one instruction that nobody runs, so it never goes there.
 */
__asm__(".pushsection .text.profd_rseq, \"ax\", @progbits\n"
        ".long 0x53053053\n"
        "profd_rseq_abort_: ud2\n"
        "profd_rseq_start_: ud2\n"
        ".popsection\n");

extern const char profd_rseq_abort_[] __attribute__((visibility("hidden")));
extern const char profd_rseq_start_[] __attribute__((visibility("hidden")));

struct rseq_cs off_processor_sequence __attribute__((aligned(32))) = {
    .start_ip = (uintptr_t)profd_rseq_start_,
    .post_commit_offset = 1,
    .abort_ip = (uintptr_t)profd_rseq_abort_,
};
