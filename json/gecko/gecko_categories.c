#include "json/gecko/gecko_categories.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "buffer/dictionary.h"
#include "json/gecko/arena_text.h"

struct own_category {
    struct arena_string name;
    const char *colour;
};

struct own_subcategory {
    uint32_t category; /* its place */
    uint32_t place;    /* among those of its category; 0 is "Other" */
    struct arena_string name;
};

struct known_place {
    bool is_known;
    struct category_place place;
};

static const struct {
    const char *name, *colour;
} common[] = {
#define X(id, number, name, colour) [CATEGORY_##id] = { name, colour },
    CATEGORIES(X)
#undef X
};

static const char *const colours[] = {
#define X(id, number, text) [number] = text,
    CATEGORY_COLOURS(X)
#undef X
};

static const char *known_colour(struct arena_string colour)
{
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
        if (arena_string_is(colour, colours[i]))
            return colours[i];
    return colours[0];
}

/* Says that ID is at PLACE. */
static int keep_place(struct gecko_categories *categories, uint32_t id, struct category_place place)
{
    size_t index = id - CATEGORY_FIRST_OWN;
    if (mapped_array_reserve(&categories->places, index + 1, sizeof(struct known_place)) < 0)
        return -ENOMEM;
    if (categories->places.count <= index)
        categories->places.count = index + 1; /* new ones are zeroed: not known */
    ((struct known_place *)categories->places.items)[index] = (struct known_place){ true, place };
    return 0;
}

static bool is_own(uint32_t id)
{
    return id >= CATEGORY_FIRST_OWN && id < CATEGORY_END;
}

/* The place of the category NAME, or -1. */
static int64_t find_category(const struct gecko_categories *categories, struct arena_string name)
{
    const struct own_category *own = categories->own.items;
    for (size_t i = 0; i < CATEGORY_FIRST_OWN; i++)
        if (arena_string_is(name, common[i].name))
            return (int64_t)i;
    for (size_t i = 0; i < categories->own.count; i++)
        if (arena_string_equals(own[i].name, name))
            return (int64_t)(CATEGORY_FIRST_OWN + i);
    return -1;
}

int gecko_categories_add(struct gecko_categories *categories, uint32_t id, struct arena_string name,
                         struct arena_string colour)
{
    if (!is_own(id) || name.length == 0)
        return -EPROTO;
    int64_t place = find_category(categories, name);
    if (place < 0) {
        struct own_category *added = mapped_array_push(&categories->own, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = (struct own_category){ name, known_colour(colour) };
        place = (int64_t)(CATEGORY_FIRST_OWN + categories->own.count - 1);
    }
    return keep_place(categories, id, (struct category_place){ (uint32_t)place, 0 });
}

static const struct known_place *find_place(const struct gecko_categories *categories, uint32_t id)
{
    const struct known_place *places = categories->places.items;
    if (!is_own(id) || id - CATEGORY_FIRST_OWN >= categories->places.count)
        return NULL;
    return places[id - CATEGORY_FIRST_OWN].is_known ? &places[id - CATEGORY_FIRST_OWN] : NULL;
}

/* The place of NAME among the subcategories of CATEGORY, a new one when it has none. */
static int find_or_add_part(struct gecko_categories *categories, uint32_t category,
                            struct arena_string name, uint32_t *place)
{
    const struct own_subcategory *parts = categories->subcategories.items;
    *place = 0;
    if (arena_string_is(name, common[CATEGORY_OTHER].name))
        return 0;
    *place = 1;
    for (size_t i = 0; i < categories->subcategories.count; i++) {
        if (parts[i].category != category)
            continue;
        if (arena_string_equals(parts[i].name, name)) {
            *place = parts[i].place;
            return 0;
        }
        ++*place;
    }
    struct own_subcategory *added = mapped_array_push(&categories->subcategories, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = (struct own_subcategory){ category, *place, name };
    return 0;
}

int gecko_categories_add_part(struct gecko_categories *categories, uint32_t id, uint32_t parent,
                              struct arena_string name)
{
    struct category_place place = { parent, 0 };
    if (!is_own(id) || name.length == 0)
        return -EPROTO;
    if (parent >= CATEGORY_FIRST_OWN) {
        const struct known_place *known = find_place(categories, parent);
        if (known == NULL || known->place.subcategory != 0)
            return -EPROTO;
        place = known->place;
    }
    int error = find_or_add_part(categories, place.category, name, &place.subcategory);
    return error < 0 ? error : keep_place(categories, id, place);
}

struct category_place gecko_categories_find(const struct gecko_categories *categories, uint32_t id)
{
    static const struct category_place other = { CATEGORY_OTHER, 0 };
    if (id < CATEGORY_FIRST_OWN)
        return (struct category_place){ id, 0 };
    const struct known_place *known = find_place(categories, id);
    return known != NULL ? known->place : other;
}

static void stream_parts(const struct gecko_categories *categories, uint32_t category,
                         struct json_writer *writer)
{
    const struct own_subcategory *parts = categories->subcategories.items;
    for (size_t i = 0; i < categories->subcategories.count; i++)
        if (parts[i].category == category)
            json_string_bytes(writer, parts[i].name.bytes, parts[i].name.length);
}

static void stream_category(const struct gecko_categories *categories, uint32_t place,
                            struct arena_string name, const char *colour,
                            struct json_writer *writer)
{
    json_start_object(writer);
    json_name(writer, "name");
    json_string_bytes(writer, name.bytes, name.length);
    json_string_property(writer, "color", colour);
    json_start_array_property(writer, "subcategories");
    json_string(writer, common[CATEGORY_OTHER].name);
    stream_parts(categories, place, writer);
    json_end_array(writer);
    json_end_object(writer);
}

void gecko_categories_stream(const struct gecko_categories *categories, struct json_writer *writer)
{
    static const struct gecko_categories none;
    const struct gecko_categories *all = categories != NULL ? categories : &none;
    const struct own_category *own = all->own.items;
    json_start_array(writer);
    for (uint32_t i = 0; i < CATEGORY_FIRST_OWN; i++) {
        struct arena_string name = { common[i].name, strlen(common[i].name) };
        stream_category(all, i, name, common[i].colour, writer);
    }
    for (uint32_t i = 0; i < all->own.count; i++)
        stream_category(all, CATEGORY_FIRST_OWN + i, own[i].name, own[i].colour, writer);
    json_end_array(writer);
}

void gecko_categories_free(struct gecko_categories *categories)
{
    mapped_array_free(&categories->own);
    mapped_array_free(&categories->subcategories);
    mapped_array_free(&categories->places);
}
