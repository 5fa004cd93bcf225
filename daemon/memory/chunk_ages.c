#include "daemon/memory/chunk_ages.h"

#include <errno.h>
#include <stdlib.h>

/* Most processes of a parallel build leave one or two chunks. */
enum { FIRST_CAPACITY = 2 };

static int make_room(struct chunk_ages *ages)
{
    if (ages->count < ages->capacity)
        return 0;
    uint32_t capacity = ages->capacity == 0 ? FIRST_CAPACITY : ages->capacity * 2;
    struct chunk_age *items = malloc(capacity * sizeof(*items));
    if (items == NULL)
        return -ENOMEM;

    for (uint32_t i = 0; i < ages->count; i++)
        items[i] = *chunk_ages_at(ages, i);
    free(ages->items);
    ages->items = items;
    ages->first = 0;
    ages->capacity = capacity;
    return 0;
}

int chunk_ages_push_back(struct chunk_ages *ages, struct chunk_age age)
{
    int error = make_room(ages);
    if (error < 0)
        return error;
    ages->count++;
    *chunk_ages_at(ages, ages->count - 1) = age;
    return 0;
}

int chunk_ages_push_front(struct chunk_ages *ages, struct chunk_age age)
{
    int error = make_room(ages);
    if (error < 0)
        return error;
    ages->first = (ages->first - 1) & (ages->capacity - 1);
    ages->count++;
    *chunk_ages_at(ages, 0) = age;
    return 0;
}

int chunk_ages_insert(struct chunk_ages *ages, struct chunk_age age)
{
    int error = chunk_ages_push_back(ages, age);
    if (error < 0)
        return error;
    uint32_t position = ages->count - 1;
    while (position > 0 && chunk_ages_at(ages, position - 1)->done_ns > age.done_ns) {
        *chunk_ages_at(ages, position) = *chunk_ages_at(ages, position - 1);
        position--;
    }
    *chunk_ages_at(ages, position) = age;
    return 0;
}

struct chunk_age chunk_ages_pop_front(struct chunk_ages *ages)
{
    struct chunk_age oldest = *chunk_ages_at(ages, 0);

    ages->first = (ages->first + 1) & (ages->capacity - 1);
    ages->count--;
    return oldest;
}

void chunk_ages_free(struct chunk_ages *ages)
{
    free(ages->items);
    *ages = (struct chunk_ages){ 0 };
}
