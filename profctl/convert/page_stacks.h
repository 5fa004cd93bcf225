/* The stacks of a whole capture, each stored once: a tree of functions, regardless of the thread or
 * process that called them. They are numbered in order of first use, so a stack always comes after
 * the one that it extends.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_PAGE_STACKS_H
#define PROFD_PROFCTL_PAGE_STACKS_H

#include <stdint.h>

#include "profctl/convert/thread_stacks.h"

/* Initialised by page_stacks_init(). */
struct page_stacks {
    struct failure_latch latch;
    struct unique_strings pairs;  /* struct page_stack, as bytes */
    struct mapped_array numbers;  /* uint32_t: of each stack of the current thread */
    struct mapped_array are_used; /* bool, likewise */
};

struct page_stack {
    uint32_t prefix; /* TABLE_NONE: the function is outermost */
    uint32_t name;   /* of thread_stacks */
    uint32_t script; /* table_frame.script: distinguishes scripts of the same name */
};

/* Initialize STACKS as empty, and free it. */
void page_stacks_init(struct page_stacks *stacks);
void page_stacks_fini(struct page_stacks *stacks);

/* Adds those stacks of THREAD that its samples use; NAMES must have taken the thread already.
 * Returns 0 or -ENOMEM. */
int page_stacks_take(struct page_stacks *stacks, const struct thread_stacks *names,
                     const struct profile_thread *thread);

/* Returns the number of STACK of the current thread, which one of its samples must use. */
uint32_t page_stacks_number(const struct page_stacks *stacks, uint32_t stack);

uint32_t page_stacks_count(const struct page_stacks *stacks);
struct page_stack page_stacks_at(const struct page_stacks *stacks, uint32_t number);

#endif
