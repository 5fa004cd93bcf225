#include "daemon/metrics/label_sets.h"

#include <string.h>

#include "json/hash.h"

int label_sets_init(struct label_sets *sets, uint32_t most, const struct metric_labels *other)
{
    *sets = (struct label_sets){ .most = most };
    failure_latch_init(&sets->latch);
    unique_strings_init(&sets->texts, &sets->latch);
    (void)unique_strings_add(&sets->texts, other->text, other->length); /* latched */
    return failure_latch_error(&sets->latch);
}

void label_sets_fini(struct label_sets *sets)
{
    unique_strings_fini(&sets->texts);
    mapped_array_free(&sets->folded);
}

/* Each once, as long as there is room to know. */
static void count_folded(struct label_sets *sets, const struct metric_labels *labels)
{
    enum { PLACES = 2 * LABEL_SETS_MOST_COUNTED };
    uint64_t hash = hash_bytes(labels->text, labels->length) | 1; /* 0 is a free place */

    if (sets->folded_count == LABEL_SETS_MOST_COUNTED ||
        mapped_array_reserve(&sets->folded, PLACES, sizeof(hash)) < 0)
        return;
    uint64_t *hashes = sets->folded.items;
    size_t place = hash % PLACES;
    while (hashes[place] != 0 && hashes[place] != hash)
        place = (place + 1) % PLACES;
    sets->folded_count += hashes[place] == 0;
    hashes[place] = hash;
}

uint32_t label_sets_place(struct label_sets *sets, const struct metric_labels *labels)
{
    uint32_t index = unique_strings_find(&sets->texts, labels->text, labels->length);

    if (index == UNIQUE_NONE && label_sets_count(sets) <= sets->most)
        index = unique_strings_add(&sets->texts, labels->text, labels->length);
    if (index != UNIQUE_NONE)
        return index;
    count_folded(sets, labels);
    return LABEL_SETS_OTHER;
}

uint32_t label_sets_count(const struct label_sets *sets)
{
    return unique_strings_count(&sets->texts);
}

void label_sets_get(const struct label_sets *sets, uint32_t index, struct metric_labels *out)
{
    const char *text = unique_strings_get(&sets->texts, index, &out->length);

    memcpy(out->text, text, out->length);
    out->text[out->length] = '\0';
}
