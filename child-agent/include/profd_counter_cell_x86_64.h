/* profd_counter_cell_x86_64.h: a detail of profd_counters.h. One thread's part of a counter, added
 * to by that thread only and read by the sampler. */
#ifndef PROFD_COUNTER_CELL_X86_64_H
#define PROFD_COUNTER_CELL_X86_64_H

#include <stdint.h>

struct profd_counter_cell {
    int64_t count;
    uint64_t number;
};

/* One instruction for each of the two, without a lock: a signal handler that adds in between is
 * counted as well. */
static inline void profd_counter_cell_add(struct profd_counter_cell *cell, int64_t delta)
{
    __asm__ volatile("addq %2, %0\n\tincq %1"
                     : "+m"(cell->count), "+m"(cell->number)
                     : "er"(delta)
                     : "cc");
}

#endif
