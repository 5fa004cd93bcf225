/* The stacks of a thread as needed for conversion: names and places of frames, as numbers that are
 * the same in all threads, and the cost of each stack.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_THREAD_STACKS_H
#define PROFD_PROFCTL_THREAD_STACKS_H

#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_walk.h"

/* The samples that have a stack. */
struct stack_sum {
    uint64_t samples; /* samples that stand for anything */
    uint64_t cpu_ns;  /* 0 if the profile has no CPU use */
};

/* A function: its name and file. It has no padding, since functions are compared as bytes, and so
 * are places. */
struct stack_function {
    uint32_t name; /* index in the names */
    uint32_t file; /* index in the files; UNIQUE_NONE: not known */
};

/* Where in a function a frame is. */
struct stack_place {
    uint32_t function;   /* index in the functions */
    uint32_t line;       /* in its file; 0: not known */
    uint32_t is_inlined; /* 1: inlined into the function of the calling frame */
};

/* The file of the functions with a name: that of the first one found. */
struct name_file {
    uint32_t file_and_1; /* index in the files plus 1; 0: not known */
    uint32_t line;       /* the first line found in it; 0: none */
};

/* The sets cover all threads taken so far; the arrays are of the current thread, except files_of.
 * Initialised by thread_stacks_init(). */
struct thread_stacks {
    struct failure_latch latch;
    struct unique_strings names, files;
    struct unique_strings functions; /* struct stack_function, as bytes */
    struct unique_strings places;    /* struct stack_place, as bytes */
    struct mapped_array files_of;    /* struct name_file: of each name */

    struct mapped_array frame_places; /* uint32_t: of each frame of the current thread, plus 1 */
    struct mapped_array stack_places; /* uint32_t: of each of its stacks */
    struct mapped_array frames;       /* uint32_t: the name of each stack's frame */
    struct mapped_array sums;         /* struct stack_sum: of each of its stacks */
    struct mapped_array path;         /* uint32_t: of the stack unrolled last */
};

/* Initialize STACKS as empty, and free it. */
void thread_stacks_init(struct thread_stacks *stacks);
void thread_stacks_fini(struct thread_stacks *stacks);

/* Takes THREAD: names its frames and sums up its samples. Returns 0 or -ENOMEM. */
int thread_stacks_take(struct thread_stacks *stacks, const struct profile_thread *thread);

/* Returns the names of the *DEPTH frames of STACK of the current thread, outermost first, valid
 * until the next call; TABLE_NONE has no frames. Returns NULL if memory is exhausted. */
const uint32_t *thread_stacks_unroll(struct thread_stacks *stacks,
                                     const struct thread_tables *tables, uint32_t stack,
                                     size_t *depth);

/* Like thread_stacks_unroll(), but returns places. */
const uint32_t *thread_stacks_unroll_places(struct thread_stacks *stacks,
                                            const struct thread_tables *tables, uint32_t stack,
                                            size_t *depth);

/* Return the name and the place of the frame of STACK of the current thread. */
uint32_t thread_stacks_name(const struct thread_stacks *stacks, uint32_t stack);
uint32_t thread_stacks_place(const struct thread_stacks *stacks, uint32_t stack);

/* Return a place and a function by number. */
struct stack_place thread_stacks_place_at(const struct thread_stacks *stacks, uint32_t place);
struct stack_function thread_stacks_function_at(const struct thread_stacks *stacks,
                                                uint32_t function);

/* Returns the file of the functions called NAME, for callers that know functions only by name: a
 * view of *LENGTH bytes, not terminated; NULL: not known. */
const char *thread_stacks_file_of(const struct thread_stacks *stacks, uint32_t name,
                                  size_t *length);
/* Returns the first line found in that file; 0: none. */
uint32_t thread_stacks_line_of(const struct thread_stacks *stacks, uint32_t name);

/* Returns the sum of the samples with STACK in the current thread. */
const struct stack_sum *thread_stacks_sum(const struct thread_stacks *stacks, uint32_t stack);

/* Returns the weight of a sample of THREAD: ns of CPU time, or 1 if the profile has no CPU use; 0
 * without a stack. */
uint64_t thread_stacks_sample_weight(const struct profile_thread *thread,
                                     const struct profile_sample *sample);

/* Labels for output: the process as "NAME (PID)", for example "postgres (1234)"; the thread's name;
 * and the name of a thread that is called NAME (NULL: it has none). */
enum { THREAD_LABEL_BYTES = 256 };
void thread_label_process(const struct profile_thread *thread, char out[THREAD_LABEL_BYTES]);
const char *thread_label_name(const struct profile_thread *thread);
const char *thread_label_named(const char *name);

#endif
