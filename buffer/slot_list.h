/* Lists of chunk slots, for the chunk manager: first in, first out, or first out again.
 *
 * The links are one array indexed by slot, shared by all lists of a manager; a slot is in at most
 * one list. Nothing here knows what the lists mean. Not thread-safe. */
#ifndef PROFD_BUFFER_SLOT_LIST_H
#define PROFD_BUFFER_SLOT_LIST_H

#include <stdint.h>

#define SLOT_NONE UINT32_MAX

struct slot_list {
    uint32_t first, last; /* undefined when count is 0 */
    uint32_t count;
};

static inline void slot_list_push_back(struct slot_list *list, uint32_t *links, uint32_t slot)
{
    links[slot] = SLOT_NONE;
    if (list->count++ == 0)
        list->first = slot;
    else
        links[list->last] = slot;
    list->last = slot;
}

/* The first slot, or SLOT_NONE. */
static inline uint32_t slot_list_pop_front(struct slot_list *list, const uint32_t *links)
{
    if (list->count == 0)
        return SLOT_NONE;
    uint32_t slot = list->first;
    list->first = links[slot];
    list->count--;
    return slot;
}

#endif
