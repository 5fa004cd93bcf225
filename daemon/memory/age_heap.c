#include "daemon/memory/age_heap.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/memory/memory_source.h"

int age_heap_reserve(struct age_heap *heap, size_t count)
{
    if (count <= heap->capacity)
        return 0;
    size_t capacity = heap->capacity == 0 ? 64 : heap->capacity * 2;
    if (capacity < count)
        capacity = count;
    struct age_heap_entry *entries = realloc(heap->entries, capacity * sizeof(*entries));
    if (entries == NULL)
        return -ENOMEM;
    heap->entries = entries;
    heap->capacity = capacity;
    return 0;
}

void age_heap_free(struct age_heap *heap)
{
    free(heap->entries);
    *heap = (struct age_heap){ 0 };
}

static void place_entry(struct age_heap *heap, size_t position, struct age_heap_entry entry)
{
    heap->entries[position] = entry;
    entry.source->heap_position = (uint32_t)position;
}

static size_t sift_entry_up(struct age_heap *heap, size_t position, struct age_heap_entry entry)
{
    while (position > 0) {
        size_t parent = (position - 1) / 2;
        if (heap->entries[parent].done_ns <= entry.done_ns)
            break;
        place_entry(heap, position, heap->entries[parent]);
        position = parent;
    }
    return position;
}

static size_t sift_entry_down(struct age_heap *heap, size_t position, struct age_heap_entry entry)
{
    for (;;) {
        size_t child = position * 2 + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count &&
            heap->entries[child + 1].done_ns < heap->entries[child].done_ns)
            child++;
        if (heap->entries[child].done_ns >= entry.done_ns)
            break;
        place_entry(heap, position, heap->entries[child]);
        position = child;
    }
    return position;
}

void age_heap_put(struct age_heap *heap, struct memory_source *source, uint64_t done_ns)
{
    struct age_heap_entry entry = { done_ns, source };
    size_t position = source->heap_position;

    if (position == AGE_HEAP_NOWHERE)
        position = heap->count++;
    else if (heap->entries[position].done_ns == done_ns)
        return;
    position = sift_entry_up(heap, position, entry);
    place_entry(heap, sift_entry_down(heap, position, entry), entry);
}

void age_heap_take_out(struct age_heap *heap, struct memory_source *source)
{
    size_t position = source->heap_position;

    if (position == AGE_HEAP_NOWHERE)
        return;
    source->heap_position = AGE_HEAP_NOWHERE;
    struct age_heap_entry last = heap->entries[--heap->count];
    if (last.source == source)
        return;
    position = sift_entry_up(heap, position, last);
    place_entry(heap, sift_entry_down(heap, position, last), last);
}
