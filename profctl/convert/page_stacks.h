/* The stacks of a whole capture, each kept once: a tree of functions, whatever thread or process
 * called them. Numbers are given in the order of first use, so that a stack is always behind the
 * one that it continues.
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
    struct mapped_array numbers;  /* uint32_t: of each stack of the thread at hand */
    struct mapped_array are_used; /* bool, likewise */
};

struct page_stack {
    uint32_t prefix; /* TABLE_NONE: it is an outermost function */
    uint32_t name;   /* of thread_stacks */
    uint32_t script; /* table_frame.script: V8 tells those of one name apart */
};

/* Begins without stacks; and frees what there is. */
void page_stacks_init(struct page_stacks *stacks);
void page_stacks_fini(struct page_stacks *stacks);

/* Takes those stacks of THREAD that its samples have; NAMES has taken the thread. 0 or -ENOMEM. */
int page_stacks_take(struct page_stacks *stacks, const struct thread_stacks *names,
                     const struct profile_thread *thread);

/* The number of a stack of the thread at hand that a sample has. */
uint32_t page_stacks_number(const struct page_stacks *stacks, uint32_t stack);

uint32_t page_stacks_count(const struct page_stacks *stacks);
struct page_stack page_stacks_at(const struct page_stacks *stacks, uint32_t number);

#endif
