#include "daemon/triggers/marker_tally.h"

#include <errno.h>
#include <stdlib.h>

#include "common/trigger.h"

struct marker_tally {
    uint32_t generation;
    uint64_t hits[TRIGGERS_MAX]; /* by marker */
};

int marker_tally_note(struct marker_tally **tally, uint32_t generation, uint64_t index,
                      uint64_t hits, uint64_t *more)
{
    *more = 0;
    if (hits == 0)
        return 0;
    if (*tally == NULL)
        *tally = calloc(1, sizeof(**tally));
    if (*tally == NULL)
        return -ENOMEM;
    if ((*tally)->generation != generation)
        **tally = (struct marker_tally){ .generation = generation };
    uint64_t told = (*tally)->hits[index];
    if (hits > told) {
        *more = hits - told;
        (*tally)->hits[index] = hits;
    }
    return 0;
}

void marker_tally_free(struct marker_tally **tally)
{
    free(*tally);
    *tally = NULL;
}
