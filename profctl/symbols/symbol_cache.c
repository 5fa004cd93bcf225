#include "profctl/symbols/symbol_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "json/unique_strings.h"
#include "profctl/symbols/debug_files.h"

struct symbol_cache {
    struct failure_latch latch;
    struct unique_strings keys;    /* path, newline, build id … */
    struct mapped_array libraries; /* … and the struct symbol_library * of each */
};

/* Every open library holds a descriptor. Failing only means fewer names. */
static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int symbol_cache_create(struct symbol_cache **out)
{
    struct symbol_cache *cache = calloc(1, sizeof(*cache));

    if (cache == NULL || debug_files_begin() < 0) {
        free(cache);
        return -ENOMEM;
    }
    failure_latch_init(&cache->latch);
    unique_strings_init(&cache->keys, &cache->latch);
    allow_many_files();
    *out = cache;
    return 0;
}

void symbol_cache_free(struct symbol_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->libraries.count; i++)
        symbol_library_free(((struct symbol_library **)cache->libraries.items)[i]);
    mapped_array_free(&cache->libraries);
    unique_strings_fini(&cache->keys);
    free(cache);
}

static int add_library(struct symbol_cache *cache, const char *name, const char *path,
                       const char *build_id, struct symbol_library **out)
{
    struct symbol_library **place =
        mapped_array_push(&cache->libraries, sizeof(struct symbol_library *));
    int error = place != NULL ? symbol_library_create(name, path, build_id, out) : -ENOMEM;

    if (place != NULL)
        *place = error == 0 ? *out : NULL;
    return error;
}

int symbol_cache_find(struct symbol_cache *cache, const char *name, const char *path,
                      const char *build_id, int64_t pid, struct symbol_library **out)
{
    uint32_t known = unique_strings_count(&cache->keys), index;
    char *key = NULL;
    int length = asprintf(&key, "%s\n%s", path, build_id);
    int error = 0;

    if (length < 0)
        return -ENOMEM;
    index = unique_strings_add(&cache->keys, key, (size_t)length);
    free(key);
    if (index == UNIQUE_NONE)
        return failure_latch_error(&cache->latch);
    if (index < known)
        *out = ((struct symbol_library **)cache->libraries.items)[index];
    else
        error = add_library(cache, name, path, build_id, out);
    if (error == 0)
        symbol_library_seen_in(*out, pid);
    return error;
}
