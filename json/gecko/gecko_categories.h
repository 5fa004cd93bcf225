/* The categories of one process: those of every profile, then its own, from the dictionary.
 *
 * A profile identifies a category by its place in the list, and a subcategory by its place among
 * those of its category, of which the first is "Other". A name occurs only once in a list, with the
 * colour that was given first. A zeroed struct has those of every profile. One thread. */
#ifndef PROFD_JSON_GECKO_CATEGORIES_H
#define PROFD_JSON_GECKO_CATEGORIES_H

#include <stdint.h>

#include "buffer/arena_reader.h"
#include "json/json_writer.h"
#include "json/mapped_array.h"

struct category_place {
    uint32_t category, subcategory;
};

struct gecko_categories {
    struct mapped_array own;           /* struct own_category, behind those of every profile */
    struct mapped_array subcategories; /* struct own_subcategory, of all categories */
    struct mapped_array places;        /* struct known_place, by id - CATEGORY_FIRST_OWN */
};

/* Add the category ID, or the subcategory ID of the category PARENT. Names and colours are
 * borrowed; a colour that viewers do not know becomes grey. Return 0; -ENOMEM; or -EPROTO for an
 * impossible id or parent. */
int gecko_categories_add(struct gecko_categories *categories, uint32_t id, struct arena_string name,
                         struct arena_string colour);
int gecko_categories_add_part(struct gecko_categories *categories, uint32_t id, uint32_t parent,
                              struct arena_string name);

/* The place of ID; that of "Other" if it is not known. */
struct category_place gecko_categories_find(const struct gecko_categories *categories, uint32_t id);

/* Writes the list; if CATEGORIES is NULL, only those of every profile. */
void gecko_categories_stream(const struct gecko_categories *categories, struct json_writer *writer);

void gecko_categories_free(struct gecko_categories *categories);

#endif
