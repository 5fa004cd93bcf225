#include "child-agent/unwinding/module_list.h"

#include <errno.h>

#include "child-agent/guest/pages.h"

enum { FIRST_LIST_BYTES = 64 * 1024 };

static int add_entry(struct module_list *list, const struct module_entry *entry)
{
    size_t bytes = (list->count + 1) * sizeof(*entry);
    if (bytes > list->capacity_bytes) {
        size_t capacity = list->capacity_bytes == 0 ? FIRST_LIST_BYTES : 2 * list->capacity_bytes;
        void *grown = pages_grow(list->at, list->capacity_bytes, capacity);
        if (grown == NULL)
            return -ENOMEM;
        list->at = grown;
        list->capacity_bytes = capacity;
    }
    size_t place = list->count++;
    for (; place > 0 && list->at[place - 1].module.start > entry->module.start; place--)
        list->at[place] = list->at[place - 1];
    list->at[place] = *entry;
    return 0;
}

static bool is_covered(const struct module_list *list, uint64_t address)
{
    for (size_t i = 0; i < list->count; i++)
        if (module_contains(&list->at[i].module, address))
            return true;
    return false;
}

/* A list that is being built. */
struct list_builder {
    struct module_list *old, *next;
    const struct mapped_modules *mapped;
    struct module_paths *paths;
    size_t added; /* entries that are not in the old list */
};

static struct module_entry *find_listed_module(const struct list_builder *builder,
                                               const struct mapped_image *image)
{
    for (size_t i = 0; i < builder->old->count; i++) {
        if (module_entry_is_of(&builder->old->at[i], image))
            return &builder->old->at[i];
    }
    return NULL;
}

/* Puts IMAGE on the next list: the entry that it has already, or a new one. */
static int list_image(struct list_builder *builder, const struct mapped_image *image)
{
    struct module_entry *known = find_listed_module(builder, image);
    struct module_entry fresh;
    if (known != NULL) {
        known->is_listed = true;
        return add_entry(builder->next, known);
    }
    int error = module_entry_read(image, builder->paths, &fresh);
    if (error == -ENOMEM)
        return error;
    if (error != 0)
        return 0; /* no library, or gone already */
    builder->added++;
    return add_entry(builder->next, &fresh);
}

/* The header of the file that CODE is of; 0: it is not mapped. */
static uint64_t header_of(const struct list_builder *builder, const struct mapped_code *code)
{
    for (size_t i = 0; i < builder->mapped->mappings->image_count; i++) {
        const struct mapped_image *image = &builder->mapped->mappings->images[i];
        if (image->device == code->device && image->inode == code->inode)
            return image->header_address;
    }
    return 0;
}

static int list_copy(struct list_builder *builder, const struct mapped_code *code)
{
    const struct mapped_image place = { .header_address = code->start,
                                        .device = code->device,
                                        .inode = code->inode,
                                        .has_code = true,
                                        .path = code->path,
                                        .path_bytes = code->path_bytes };
    struct module_entry *known = find_listed_module(builder, &place);
    struct module_entry fresh;
    if (is_covered(builder->next, code->start))
        return 0;
    if (known != NULL) {
        known->is_listed = true;
        return add_entry(builder->next, known);
    }
    int error = module_entry_read_copy(code, header_of(builder, code), builder->paths, &fresh);
    if (error != 0)
        return error == -ENOMEM ? error : 0;
    builder->added++;
    return add_entry(builder->next, &fresh);
}

static bool is_loaded(const struct list_builder *builder, uint64_t header_address)
{
    for (size_t i = 0; i < builder->mapped->loaded->image_count; i++)
        if (builder->mapped->loaded->images[i].header_address == header_address)
            return true;
    return false;
}

static int list_all(struct list_builder *builder)
{
    const struct mapping_list *loaded = builder->mapped->loaded;
    const struct mapping_list *mappings = builder->mapped->mappings;
    int error = 0;
    for (size_t i = 0; error == 0 && i < loaded->image_count; i++)
        error = list_image(builder, &loaded->images[i]);
    for (size_t i = 0; error == 0 && i < mappings->image_count; i++)
        if (!is_loaded(builder, mappings->images[i].header_address))
            error = list_image(builder, &mappings->images[i]);
    for (size_t i = 0; error == 0 && i < mappings->code_count; i++)
        error = list_copy(builder, &mappings->codes[i]);
    return error;
}

int module_list_build(struct module_list *old, const struct mapped_modules *mapped,
                      struct module_paths *paths, struct module_list *next, size_t *added)
{
    struct list_builder builder = { .old = old, .next = next, .mapped = mapped, .paths = paths };
    next->count = 0;
    for (size_t i = 0; i < old->count; i++)
        old->at[i].is_listed = false;
    int error = list_all(&builder);
    *added = builder.added;
    return error;
}

struct module_entry *module_list_find(const struct module_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].module.start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !module_contains(&list->at[low - 1].module, address))
        return NULL;
    return &list->at[low - 1];
}

void module_list_free(struct module_list *list)
{
    pages_free(list->at, list->capacity_bytes);
    *list = (struct module_list){ 0 };
}
