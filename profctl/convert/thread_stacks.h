/* The stacks of a thread as those who convert them need them: names of frames as numbers that are
 * the same in all threads, and how much ended in each stack.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_THREAD_STACKS_H
#define PROFD_PROFCTL_THREAD_STACKS_H

#include <stdint.h>

#include "profctl/profile/profile_walk.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* What ended in a stack. */
struct stack_sum {
    uint64_t samples; /* that stand for anything */
    uint64_t cpu_ns;  /* 0 where the profile does not tell CPU use */
};

/* Names of frames; zeroed and initialised by thread_stacks_init(). */
struct thread_stacks {
    struct failure_latch latch;
    struct unique_strings names; /* of all threads so far */
    struct mapped_array
        frames;               /* uint32_t: the name of each stack's frame, of the thread at hand */
    struct mapped_array sums; /* struct stack_sum, of each of its stacks */
    struct mapped_array path; /* uint32_t: of the stack that was unrolled last */
};

/* Begins without names; and frees what there is. */
void thread_stacks_init(struct thread_stacks *stacks);
void thread_stacks_fini(struct thread_stacks *stacks);

/* Takes THREAD: names its frames, and adds up its samples. 0 or -ENOMEM. */
int thread_stacks_take(struct thread_stacks *stacks, const struct profile_thread *thread);

/* Names of the frames of STACK of the thread at hand, the outermost first, *DEPTH of them, until
 * the next call; of TABLE_NONE there are none. NULL: no memory. */
const uint32_t *thread_stacks_unroll(struct thread_stacks *stacks,
                                     const struct thread_tables *tables, uint32_t stack,
                                     size_t *depth);

/* The name of the frame of STACK of the thread at hand. */
uint32_t thread_stacks_name(const struct thread_stacks *stacks, uint32_t stack);

/* What ended in STACK of the thread at hand. */
const struct stack_sum *thread_stacks_sum(const struct thread_stacks *stacks, uint32_t stack);

/* What a sample of THREAD counts for: ns of CPU time, or 1 where the profile does not tell CPU use;
 * 0 without a stack. */
uint64_t thread_stacks_sample_weight(const struct profile_thread *thread,
                                     const struct profile_sample *sample);

/* "NAME (PID)", as "postgres (1234)", and the thread's own name, or that of one called NAME (NULL:
 * it has none). */
enum { THREAD_LABEL_BYTES = 256 };
void thread_label_process(const struct profile_thread *thread, char out[THREAD_LABEL_BYTES]);
const char *thread_label_name(const struct profile_thread *thread);
const char *thread_label_named(const char *name);

#endif
