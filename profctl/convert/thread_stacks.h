/* The stacks of a thread as those who convert them need them: names of frames, and where in code
 * they are, as numbers that are the same in all threads, and how much ended in each stack.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_THREAD_STACKS_H
#define PROFD_PROFCTL_THREAD_STACKS_H

#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_walk.h"

/* What ended in a stack. */
struct stack_sum {
    uint64_t samples; /* that stand for anything */
    uint64_t cpu_ns;  /* 0 where the profile does not tell CPU use */
};

/* A function: what it is called, and the file that it is in. Of one size, without gaps: functions
 * are told apart by these bytes, as places are by theirs. */
struct stack_function {
    uint32_t name; /* of the names */
    uint32_t file; /* of the files; UNIQUE_NONE: not known */
};

/* Where in a function a frame is. */
struct stack_place {
    uint32_t function;   /* of the functions */
    uint32_t line;       /* in its file; 0: not known */
    uint32_t is_inlined; /* 1: in the function of the frame that it is called from */
};

/* The file of the functions of a name: of the first one that was met. */
struct name_file {
    uint32_t file_and_1; /* of the files; 0: not known */
    uint32_t line;       /* the first one in it that was met; 0: none */
};

/* All but the arrays is of all threads that were taken; initialised by thread_stacks_init(). */
struct thread_stacks {
    struct failure_latch latch;
    struct unique_strings names, files;
    struct unique_strings functions; /* struct stack_function, as bytes */
    struct unique_strings places;    /* struct stack_place, as bytes */
    struct mapped_array files_of;    /* struct name_file: of each name */

    struct mapped_array frame_places; /* uint32_t: of each frame of the thread at hand, and 1 */
    struct mapped_array stack_places; /* uint32_t: of each of its stacks */
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

/* The same, as places. */
const uint32_t *thread_stacks_unroll_places(struct thread_stacks *stacks,
                                            const struct thread_tables *tables, uint32_t stack,
                                            size_t *depth);

/* The name of the frame of STACK of the thread at hand, and its place. */
uint32_t thread_stacks_name(const struct thread_stacks *stacks, uint32_t stack);
uint32_t thread_stacks_place(const struct thread_stacks *stacks, uint32_t stack);

/* What a place and a function are, by number. */
struct stack_place thread_stacks_place_at(const struct thread_stacks *stacks, uint32_t place);
struct stack_function thread_stacks_function_at(const struct thread_stacks *stacks,
                                                uint32_t function);

/* The file of the functions called NAME, by number, for those who know functions by name alone: a
 * view of *LENGTH, not terminated; NULL: none is known. */
const char *thread_stacks_file_of(const struct thread_stacks *stacks, uint32_t name,
                                  size_t *length);
/* The first line in that file that was met; 0: none. */
uint32_t thread_stacks_line_of(const struct thread_stacks *stacks, uint32_t name);

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
