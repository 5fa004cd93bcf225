#include "daemon/memory/memory_source.h"

#include <stddef.h>

void memory_source_leave(struct memory_source *source)
{
    struct memory_source_list *list = source->list;

    if (list == NULL)
        return;
    if (source->previous != NULL)
        source->previous->next = source->next;
    else
        list->first = source->next;
    if (source->next != NULL)
        source->next->previous = source->previous;
    else
        list->last = source->previous;
    source->list = NULL;
}

void memory_source_join(struct memory_source_list *list, struct memory_source *source)
{
    memory_source_leave(source);
    source->list = list;
    source->previous = list->last;
    source->next = NULL;
    if (list->last != NULL)
        list->last->next = source;
    else
        list->first = source;
    list->last = source;
}
