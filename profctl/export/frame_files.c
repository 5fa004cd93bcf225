#include "profctl/export/frame_files.h"

#include <errno.h>

void frame_files_init(struct frame_files *files, struct failure_latch *latch)
{
    *files = (struct frame_files){ 0 };
    unique_strings_init(&files->names, latch);
    unique_strings_init(&files->files, latch);
}

void frame_files_fini(struct frame_files *files)
{
    unique_strings_fini(&files->names);
    unique_strings_fini(&files->files);
    mapped_array_free(&files->of_names);
}

int frame_files_note(struct frame_files *files, const char *name, size_t name_length,
                     const char *file, size_t file_length)
{
    uint32_t *of_names = files->of_names.items;
    uint32_t index = unique_strings_add(&files->names, name, name_length);
    uint32_t found = unique_strings_add(&files->files, file, file_length);

    if (index == UNIQUE_NONE || found == UNIQUE_NONE)
        return -ENOMEM;
    if (index < files->of_names.count) {
        if (of_names[index] != found)
            of_names[index] = UNIQUE_NONE;
        return 0;
    }
    uint32_t *place = mapped_array_push(&files->of_names, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = found;
    return 0;
}

const char *frame_files_find(const struct frame_files *files, const char *name, size_t name_length,
                             size_t *file_length)
{
    const uint32_t *of_names = files->of_names.items;
    uint32_t index = unique_strings_find(&files->names, name, name_length);

    *file_length = 0;
    if (index == UNIQUE_NONE || index >= files->of_names.count || of_names[index] == UNIQUE_NONE)
        return NULL;
    return unique_strings_get(&files->files, of_names[index], file_length);
}
