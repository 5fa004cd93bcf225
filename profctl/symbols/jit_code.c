#include "profctl/symbols/jit_code.h"

#include <errno.h>
#include <stdlib.h>

#include "profctl/symbols/jit_name.h"

enum {
    MAX_REGIONS = 4 * 1024 * 1024,
    MAX_REGION_BYTES = 1024 * 1024 * 1024, /* of one function */
    MAX_LOCATION_BYTES = 512 * 1024 * 1024,
    /* How many regions that begin before an address are looked at for one that holds it. */
    MAX_LOOKED_AT = 4096,
};

struct jit_region {
    uint64_t start, bytes;
    uint32_t order; /* of being added */
    uint32_t location;
    const char *tier; /* NULL: not told */
};

void jit_code_init(struct jit_code *code)
{
    *code = (struct jit_code){ 0 };
    failure_latch_init(&code->latch);
    unique_strings_init(&code->locations, &code->latch);
}

void jit_code_free(struct jit_code *code)
{
    unique_strings_fini(&code->locations);
    mapped_array_free(&code->regions);
}

static int add_region(struct jit_code *code, uint64_t start, uint64_t bytes, uint32_t location,
                      const char *tier)
{
    struct jit_region *region = mapped_array_push(&code->regions, sizeof(*region));

    if (region == NULL)
        return -ENOMEM;
    *region = (struct jit_region){ start, bytes, code->added++, location, tier };
    if (bytes > code->longest)
        code->longest = bytes;
    code->is_sorted = false;
    return failure_latch_error(&code->latch);
}

static int check_room(const struct jit_code *code)
{
    bool is_full =
        code->regions.count == MAX_REGIONS || code->locations.bytes.count > MAX_LOCATION_BYTES;

    return is_full ? -E2BIG : 0;
}

static bool is_region(uint64_t start, uint64_t bytes)
{
    return bytes > 0 && bytes <= MAX_REGION_BYTES && start <= UINT64_MAX - bytes;
}

int jit_code_add(struct jit_code *code, uint64_t start, uint64_t bytes, const char *name,
                 size_t name_bytes)
{
    char location[JIT_LOCATION_BYTES];
    const char *tier;
    size_t length;
    int error = check_room(code);

    if (error < 0 || !is_region(start, bytes))
        return error;
    length = jit_name_location(name, name_bytes, location, &tier);
    return add_region(code, start, bytes, unique_strings_add(&code->locations, location, length),
                      tier);
}

static int compare_regions(const void *left, const void *right)
{
    const struct jit_region *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void sort_regions(struct jit_code *code)
{
    if (!code->is_sorted && code->regions.count > 1)
        qsort(code->regions.items, code->regions.count, sizeof(struct jit_region), compare_regions);
    code->is_sorted = true;
}

/* How many regions start at or before ADDRESS. */
static size_t count_before(const struct jit_code *code, uint64_t address)
{
    const struct jit_region *regions = code->regions.items;
    size_t low = 0, high = code->regions.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (regions[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct jit_region *find_region(struct jit_code *code, uint64_t address)
{
    const struct jit_region *regions = code->regions.items, *found = NULL;
    size_t next;

    sort_regions(code);
    next = count_before(code, address);
    for (int i = 0; i < MAX_LOOKED_AT && next > 0; i++) {
        const struct jit_region *region = &regions[--next];

        if (address - region->start >= code->longest)
            break;
        if (address - region->start < region->bytes &&
            (found == NULL || region->order > found->order))
            found = region;
    }
    return found;
}

bool jit_code_find(struct jit_code *code, uint64_t address, struct jit_function *out)
{
    const struct jit_region *found = find_region(code, address);

    if (found == NULL)
        return false;
    out->location = unique_strings_get(&code->locations, found->location, &out->length);
    out->tier = found->tier;
    return true;
}
