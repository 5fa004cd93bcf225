/* All libraries of a capture, each once for all processes: known by path and build id. */
#ifndef PROFD_PROFCTL_SYMBOL_CACHE_H
#define PROFD_PROFCTL_SYMBOL_CACHE_H

#include <stdint.h>

#include "profctl/symbols/symbol_library.h"

struct symbol_cache; /* opaque */

/* Returns 0 or -ENOMEM. */
int symbol_cache_create(struct symbol_cache **out);
void symbol_cache_free(struct symbol_cache *cache);

/* The library that process PID has mapped from PATH; made if it is new, owned by the cache. */
int symbol_cache_find(struct symbol_cache *cache, const char *name, const char *path,
                      const char *build_id, int64_t pid, struct symbol_library **out);

#endif
