#include "profctl/processed/busiest_threads.h"

#include <stdbool.h>
#include <string.h>

void busiest_threads_add(struct busiest_threads *busiest, uint32_t index, double weight)
{
    struct busy_thread *threads = busiest->threads;
    bool only_idle = busiest->count == 1 && !(threads[0].weight > 0);

    if (!(weight > 0) && busiest->count > 0)
        return;
    if (only_idle)
        busiest->count = 0;
    size_t place = busiest->count;
    while (place > 0 && threads[place - 1].weight < weight)
        place--;
    if (place == BUSIEST_THREADS)
        return;
    if (busiest->count < BUSIEST_THREADS)
        busiest->count++;
    memmove(threads + place + 1, threads + place, (busiest->count - place - 1) * sizeof(*threads));
    threads[place] = (struct busy_thread){ index, weight };
}
