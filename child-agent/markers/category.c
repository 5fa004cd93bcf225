#include "child-agent/markers/category.h"

#include <stddef.h>
#include <string.h>

#include "buffer/dictionary.h"
#include "child-agent/core.h"
#include "common/apart.h"
#include "profd.h"

enum {
    NAME_BYTES = 64,
    FIRST_ADDRESS = 4096, /* nothing is below: there a category is a number */
    MOST_KEPT = CATEGORY_END - CATEGORY_FIRST_OWN,
};

/* A category or subcategory, by its number. */
struct kept_category {
    char name[NAME_BYTES];
    uint32_t parent; /* 0: a category */
    uint32_t colour;
    bool is_written; /* this image's dictionary has it */
};

static LARGE_APART struct kept_category all[MOST_KEPT];
static uint32_t count;

static const char *const colours[] = {
#define X(id, number, text) [number] = text,
    CATEGORY_COLOURS(X)
#undef X
};

#define X(id, number, text)                                                                        \
    _Static_assert((int)PROFD_COLOUR_##id == number, "the program's colours are the "              \
                                                     "dictionary's");
CATEGORY_COLOURS(X)
#undef X

static const char *colour_name(uint32_t colour)
{
    return colour < sizeof(colours) / sizeof(colours[0]) ? colours[colour] : colours[0];
}

/* The category of every profile that is called NAME, or 0. */
static uint32_t find_common_category(const char *name)
{
    static const char *const names[] = {
#define X(id, number, text, colour) [number] = text,
        CATEGORIES(X)
#undef X
    };
    for (uint32_t i = 1; i < CATEGORY_FIRST_OWN; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

/* The number of NAME among the parts of PARENT; a new one when it has none; CATEGORY_OTHER when
 * there are too many. */
static uint32_t find_or_add_category(const char *name, uint32_t parent, uint32_t colour)
{
    uint32_t siblings = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].parent != parent)
            continue;
        if (strcmp(all[i].name, name) == 0)
            return CATEGORY_FIRST_OWN + i;
        siblings++;
    }
    if (siblings >= (parent == 0 ? CATEGORY_MOST_OWN : CATEGORY_MOST_SUBCATEGORIES))
        return CATEGORY_OTHER;
    struct kept_category *added = &all[count];
    memcpy(added->name, name, NAME_BYTES);
    added->parent = parent;
    added->colour = colour;
    return CATEGORY_FIRST_OWN + count++;
}

static uint32_t count_other(void)
{
    if (core_local.has_arena)
        arena_count_drop(&core.arena, DROP_CATEGORIES, 1);
    return CATEGORY_OTHER;
}

static bool is_category(uint32_t number)
{
    return number < CATEGORY_FIRST_OWN ||
           (number - CATEGORY_FIRST_OWN < count && all[number - CATEGORY_FIRST_OWN].parent == 0);
}

/* Of a declaration that is a category, or of which PARENT is the category. */
static uint32_t number_of(const struct profd_own_category *declared, uint32_t parent)
{
    char name[NAME_BYTES] = "";
    if (declared->name != NULL)
        memcpy(name, declared->name, strnlen(declared->name, NAME_BYTES - 1));
    if (name[0] == '\0' || !is_category(parent))
        return count_other();
    uint32_t number = parent == 0 ? find_common_category(name) : 0;
    if (number == 0)
        number = find_or_add_category(name, parent, declared->colour);
    return number == CATEGORY_OTHER && strcmp(name, "Other") != 0 ? count_other() : number;
}

bool category_has_number(uintptr_t category, uint32_t *number)
{
    *number = category < FIRST_ADDRESS ? (uint32_t)category
                                       : ((const struct profd_own_category *)category)->number;
    return category < FIRST_ADDRESS || *number != 0;
}

uint32_t category_number(uintptr_t category)
{
    uint32_t number, parent;
    if (category_has_number(category, &number))
        return number;
    struct profd_own_category *declared = (struct profd_own_category *)category;
    if (!category_has_number(declared->parent, &parent)) {
        struct profd_own_category *above = (struct profd_own_category *)declared->parent;
        parent = above->parent == 0 ? number_of(above, 0) : CATEGORY_END; /* parts have no parts */
        if (parent != CATEGORY_END)
            above->number = parent;
    }
    number = number_of(declared, parent);
    declared->number = number;
    return number;
}

static int put_category(uint32_t number, const struct kept_category *category)
{
    if (category->parent == 0)
        return dictionary_put_category(&core.dictionary, number, colour_name(category->colour),
                                       category->name);
    return dictionary_put_subcategory(&core.dictionary, number, category->parent, category->name);
}

uint32_t category_register(uint32_t number)
{
    if (number < CATEGORY_FIRST_OWN)
        return number;
    if (number - CATEGORY_FIRST_OWN >= count)
        return count_other();
    struct kept_category *category = &all[number - CATEGORY_FIRST_OWN];
    if (category->is_written)
        return number;
    if (category->parent != 0 && category_register(category->parent) != category->parent)
        return CATEGORY_OTHER;
    if (put_category(number, category) < 0)
        return CATEGORY_OTHER;
    category->is_written = true;
    return number;
}

void category_after_fork_child(void)
{
    for (uint32_t i = 0; i < count; i++)
        all[i].is_written = false;
}
