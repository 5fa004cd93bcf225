/* The threads that a viewer shows first, which are those that used the most CPU time. Pure; one
 * thread. */
#ifndef PROFD_PROFCTL_BUSIEST_THREADS_H
#define PROFD_PROFCTL_BUSIEST_THREADS_H

#include <stddef.h>
#include <stdint.h>

enum { BUSIEST_THREADS = 15 }; /* as many as the viewer itself would show */

struct busy_thread {
    uint32_t index;
    double weight; /* CPU time, or a substitute */
};

/* Busiest first; among equals, the one added first. A zeroed struct is empty. */
struct busiest_threads {
    struct busy_thread threads[BUSIEST_THREADS];
    size_t count;
};

/* Adds the thread if it is among the busiest. One of weight 0 is kept only while there is no
 * other. */
void busiest_threads_add(struct busiest_threads *busiest, uint32_t index, double weight);

#endif
