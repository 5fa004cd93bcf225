#include "profctl/view/library_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/failure_latch.h"
#include "json/unique_strings.h"
#include "profctl/symbols/symbol_cache.h"

struct listed_library {
    char *name, *path, *build_id; /* owned */
};

struct library_list {
    struct symbol_cache *cache;
    struct failure_latch latch;
    struct unique_strings keys;    /* debug name, a newline, debug id */
    struct mapped_array libraries; /* struct listed_library, by the number of their key */
};

int library_list_create(struct library_list **out)
{
    struct library_list *list = calloc(1, sizeof(*list));

    if (list == NULL || symbol_cache_create(&list->cache) < 0) {
        free(list);
        return -ENOMEM;
    }
    failure_latch_init(&list->latch);
    unique_strings_init(&list->keys, &list->latch);
    *out = list;
    return 0;
}

static void free_listed(struct listed_library *library)
{
    free(library->name);
    free(library->path);
    free(library->build_id);
}

void library_list_free(struct library_list *list)
{
    if (list == NULL)
        return;
    for (size_t i = 0; i < list->libraries.count; i++)
        free_listed((struct listed_library *)list->libraries.items + i);
    mapped_array_free(&list->libraries);
    unique_strings_fini(&list->keys);
    symbol_cache_free(list->cache);
    free(list);
}

static int add_library(struct library_list *list, const struct process_library *library)
{
    uint32_t known = unique_strings_count(&list->keys);
    char *key;
    int length = asprintf(&key, "%s\n%s", library->debug_name, library->debug_id);

    if (length < 0)
        return -ENOMEM;
    uint32_t index = unique_strings_add(&list->keys, key, (size_t)length);
    free(key);
    if (index == UNIQUE_NONE || index < known)
        return failure_latch_error(&list->latch);
    struct listed_library *place = mapped_array_push(&list->libraries, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = (struct listed_library){ strdup(library->name), strdup(library->path),
                                      strdup(library->build_id) };
    return place->name != NULL && place->path != NULL && place->build_id != NULL ? 0 : -ENOMEM;
}

int library_list_add(struct library_list *list, const struct process_libraries *libraries)
{
    const struct process_library *items = libraries->libraries.items;
    int error = 0;

    for (size_t i = 0; i < libraries->libraries.count && error == 0; i++) {
        if (items[i].debug_name != NULL && items[i].debug_id != NULL)
            error = add_library(list, &items[i]);
    }
    return error;
}

struct symbol_library *library_list_find(struct library_list *list, const char *debug_name,
                                         const char *debug_id, int *error)
{
    struct symbol_library *found = NULL;
    char *key;
    int length = asprintf(&key, "%s\n%s", debug_name, debug_id);

    *error = length < 0 ? -ENOMEM : 0;
    if (length < 0)
        return NULL;
    uint32_t index = unique_strings_find(&list->keys, key, (size_t)length);
    free(key);
    if (index == UNIQUE_NONE || index >= list->libraries.count)
        return NULL;
    const struct listed_library *library = (struct listed_library *)list->libraries.items + index;
    *error =
        symbol_cache_find(list->cache, library->name, library->path, library->build_id, 0, &found);
    return *error == 0 ? found : NULL;
}
