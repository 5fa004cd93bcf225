/* Which item of a capture a child is: children don't know of captures. */
#include <errno.h>
#include <stdlib.h>

#include "daemon/capture/capture_state.h"

static int compare_addresses(const void *a, const void *b)
{
    const uintptr_t left = (uintptr_t)((const struct capture_entry *)a)->child;
    const uintptr_t right = (uintptr_t)((const struct capture_entry *)b)->child;

    return (left > right) - (left < right);
}

int capture_index_items(struct capture *capture)
{
    size_t count = capture->gather.count;

    capture->entries = calloc(count + 1, sizeof(*capture->entries));
    if (capture->entries == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        capture->entries[i] = (struct capture_entry){ capture->items[i].child, i };
    qsort(capture->entries, count, sizeof(*capture->entries), compare_addresses);
    return 0;
}

bool capture_find(const struct capture *capture, const struct child *child, size_t *index)
{
    const struct capture_entry key = { .child = child };

    if (capture->entries == NULL)
        return false;
    const struct capture_entry *entry =
        bsearch(&key, capture->entries, capture->gather.count, sizeof(key), compare_addresses);
    if (entry == NULL)
        return false;
    *index = entry->index;
    return true;
}
