/* Lists of chunk slots, for the chunk manager.
 *
 * The links are one array indexed by slot, which all lists of a manager share; a slot is in at most
 * one list. The lists have no meaning here. Not thread-safe. */
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

/* Removes and returns the first slot; SLOT_NONE if the list is empty. */
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
