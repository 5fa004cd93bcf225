/* profd_categories.h: categories of the program's own, with subcategories.
 *
 *     PROFD_CATEGORY(database, "Database", PROFD_COLOUR_ORANGE);
 *     PROFD_SUBCATEGORY(database_commit, database, "Commit");
 *     …
 *     PROFD_LABEL_SCOPE("run query", database);
 *     PROFD_MARKER("commit", database_commit);
 *
 * At file scope or inside a function. Both are used where a macro takes a category; functions take
 * them as (uintptr_t)database. Viewers show the subcategory of a frame beside its category, but
 * only the category of a marker.
 *
 * Categories with the same name are one category, wherever they are declared, also in other
 * processes of a capture; the colour of the first one used counts. A process may have 64
 * categories, and 32 subcategories of each; further ones, and those without a name, are counted and
 * shown as "Other". Names are cut at 63 bytes, and are copied at the first use, so that a library
 * with categories may be unloaded. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_CATEGORIES_H
#define PROFD_CATEGORIES_H

#ifdef __cplusplus
extern "C" {
#endif

enum profd_colour {
    PROFD_COLOUR_GREY = 0,
    PROFD_COLOUR_TRANSPARENT = 1,
    PROFD_COLOUR_PURPLE = 2,
    PROFD_COLOUR_GREEN = 3,
    PROFD_COLOUR_ORANGE = 4,
    PROFD_COLOUR_YELLOW = 5,
    PROFD_COLOUR_LIGHTBLUE = 6,
    PROFD_COLOUR_BLUE = 7,
    PROFD_COLOUR_BROWN = 8,
    PROFD_COLOUR_MAGENTA = 9,
    PROFD_COLOUR_RED = 10,
    PROFD_COLOUR_LIGHTRED = 11,
    PROFD_COLOUR_DARKGREY = 12
};

/* A category, or a subcategory: one static object each, made by the macros. */
struct profd_own_category {
    const char *name;
    uintptr_t parent; /* the category of a subcategory, as in a site; 0: this is a category */
    uint32_t colour;  /* of a category: enum profd_colour, anything else is grey */
    volatile uint32_t number; /* given at first use; 0 before */
};

/* Declares VARIABLE as a category. NAME is a constant. */
#define PROFD_CATEGORY(VARIABLE, NAME, COLOUR)                                                     \
    static struct profd_own_category VARIABLE[1]                                                   \
        __attribute__((unused)) = { { NAME, 0, COLOUR, 0 } }

/* Declares VARIABLE as a part of CATEGORY: one of the program's own, or of enum profd_category. */
#define PROFD_SUBCATEGORY(VARIABLE, CATEGORY, NAME)                                                \
    static struct profd_own_category VARIABLE[1]                                                   \
        __attribute__((unused)) = { { NAME, (uintptr_t)(CATEGORY), 0, 0 } }

#ifdef __cplusplus
}
#endif

#endif
