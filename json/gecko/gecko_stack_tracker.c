/* Stacks are stored relative to the one before in their chunk; see buffer/entry.h. */
#include <errno.h>
#include <sys/mman.h>

#include "json/gecko/gecko_context.h"

struct stack_tracker *stack_tracker_at(struct process_context *process,
                                       struct stack_tracker **place)
{
    struct stack_tracker *tracker = *place;
    if (tracker == NULL) {
        tracker = mmap(NULL, sizeof(*tracker), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
        if (tracker == MAP_FAILED) {
            failure_latch_set(process->latch, -ENOMEM);
            return NULL;
        }
        *place = tracker;
    }
    if (tracker->chunk_number != process->chunk_number) {
        tracker->chunk_number = process->chunk_number;
        tracker->state.depth = 0;
    }
    return tracker;
}

void stack_tracker_free(struct stack_tracker **place)
{
    if (*place != NULL)
        munmap(*place, sizeof(**place));
    *place = NULL;
}
