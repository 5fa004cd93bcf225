/* Stacks are stored relative to the one before in their chunk; see buffer/entry.h. */
#include <errno.h>

#include "json/gecko/gecko_context.h"
#include "json/spare_pages.h"

struct stack_tracker *stack_tracker_at(struct process_context *process,
                                       struct stack_tracker **place)
{
    struct stack_tracker *tracker = *place;
    if (tracker == NULL) {
        tracker = spare_pages_take_zeroed(sizeof(*tracker));
        if (tracker == NULL) {
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
    spare_pages_give(*place, sizeof(**place));
    *place = NULL;
}
