#include "child-agent/unwinding/module_paths.h"

#include <string.h>

#include "child-agent/guest/pages.h"

enum { PATH_BLOCK_BYTES = 64 * 1024 };

struct path_block {
    struct path_block *next;
    size_t used; /* of bytes */
    char bytes[];
};

static char *find_path(struct path_block *block, const char *path, size_t bytes)
{
    for (; block != NULL; block = block->next) {
        for (size_t offset = 0; offset < block->used;) {
            char *known = block->bytes + offset;
            size_t known_bytes = strlen(known);
            if (known_bytes == bytes && memcmp(known, path, bytes) == 0)
                return known;
            offset += known_bytes + 1;
        }
    }
    return NULL;
}

char *module_paths_keep(struct module_paths *paths, const char *path, size_t bytes)
{
    const size_t room = PATH_BLOCK_BYTES - sizeof(struct path_block);
    char *known = find_path(paths->newest, path, bytes);
    if (known != NULL || bytes >= room)
        return known;
    if (paths->newest == NULL || room - paths->newest->used < bytes + 1) {
        struct path_block *block = pages_allocate(PATH_BLOCK_BYTES);
        if (block == NULL)
            return NULL;
        block->next = paths->newest;
        paths->newest = block;
    }
    char *own = paths->newest->bytes + paths->newest->used;
    memcpy(own, path, bytes);
    own[bytes] = '\0';
    paths->newest->used += bytes + 1;
    return own;
}

void module_paths_free(struct module_paths *paths)
{
    while (paths->newest != NULL) {
        struct path_block *next = paths->newest->next;
        pages_free(paths->newest, PATH_BLOCK_BYTES);
        paths->newest = next;
    }
}
