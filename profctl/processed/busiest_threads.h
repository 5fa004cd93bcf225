/* The threads that a viewer shows first: those that used most CPU. Pure; one thread. */
#ifndef PROFD_PROFCTL_BUSIEST_THREADS_H
#define PROFD_PROFCTL_BUSIEST_THREADS_H

#include <stddef.h>
#include <stdint.h>

enum { BUSIEST_THREADS = 15 }; /* as many as the viewer itself would show */

struct busy_thread {
    uint32_t index;
    double weight; /* CPU time, or what stands for it */
};

/* The busiest one first; of equals that which was added first. A zeroed struct has none. */
struct busiest_threads {
    struct busy_thread threads[BUSIEST_THREADS];
    size_t count;
};

/* Adds it, when it is among them. One of no weight is there only while there is no other. */
void busiest_threads_add(struct busiest_threads *busiest, uint32_t index, double weight);

#endif
