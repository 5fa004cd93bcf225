#include "profctl/export/label_bounds.h"

#include <string.h>

enum { VALUE_MAX_BYTES = 512 };

void label_bounds_init(struct label_bounds *bounds, uint32_t max_keys, uint32_t max_values)
{
    *bounds = (struct label_bounds){ .max_keys = max_keys, .max_values = max_values };
    failure_latch_init(&bounds->latch);
    unique_strings_init(&bounds->keys, &bounds->latch);
    unique_strings_init(&bounds->values, &bounds->latch);
}

void label_bounds_fini(struct label_bounds *bounds)
{
    unique_strings_fini(&bounds->keys);
    unique_strings_fini(&bounds->values);
    mapped_array_free(&bounds->counts);
}

void label_bounds_forget(struct label_bounds *bounds)
{
    uint32_t max_keys = bounds->max_keys, max_values = bounds->max_values;
    uint64_t folded = bounds->folded;

    label_bounds_fini(bounds);
    label_bounds_init(bounds, max_keys, max_values);
    bounds->folded = folded;
}

/* Where the values of KEY are counted; NULL: no memory. */
static uint32_t *count_of(struct label_bounds *bounds, const char *key, uint32_t *number)
{
    *number = unique_strings_add(&bounds->keys, key, strlen(key));
    if (*number == UNIQUE_NONE)
        return NULL;
    if (*number == bounds->counts.count &&
        mapped_array_push(&bounds->counts, sizeof(uint32_t)) == NULL)
        return NULL;
    return (uint32_t *)bounds->counts.items + *number;
}

bool label_bounds_pass_key(struct label_bounds *bounds, const char *key)
{
    uint32_t number;

    if (unique_strings_find(&bounds->keys, key, strlen(key)) != UNIQUE_NONE)
        return true;
    if (unique_strings_count(&bounds->keys) < bounds->max_keys &&
        count_of(bounds, key, &number) != NULL)
        return true;
    bounds->folded++;
    return false;
}

static bool is_let_through(struct label_bounds *bounds, const char *key, const char *value,
                           size_t length)
{
    char text[sizeof(uint32_t) + VALUE_MAX_BYTES];
    uint32_t number, *count = count_of(bounds, key, &number);

    if (count == NULL || length > VALUE_MAX_BYTES)
        return false;
    memcpy(text, &number, sizeof(number));
    memcpy(text + sizeof(number), value, length);
    if (unique_strings_find(&bounds->values, text, sizeof(number) + length) != UNIQUE_NONE)
        return true;
    if (*count == bounds->max_values ||
        unique_strings_add(&bounds->values, text, sizeof(number) + length) == UNIQUE_NONE)
        return false;
    (*count)++;
    return true;
}

const char *label_bounds_pass(struct label_bounds *bounds, const char *key, const char *value,
                              size_t *length)
{
    if (is_let_through(bounds, key, value, *length))
        return value;
    bounds->folded++;
    *length = strlen(LABEL_OTHER);
    return LABEL_OTHER;
}
