#include "profctl/symbols/symbol_name.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names refer back to parts of themselves, so a short one may be endless written out. */
enum { READABLE_MAX_BYTES = 64 * 1024 };

struct readable_name {
    char bytes[READABLE_MAX_BYTES];
    size_t used;
    jmp_buf too_long; /* the demangler has no other way to be told */
};

static void append_part(const char *text, size_t length, void *context)
{
    struct readable_name *name = context;

    if (length >= sizeof(name->bytes) - name->used)
        longjmp(name->too_long, 1);
    memcpy(name->bytes + name->used, text, length);
    name->used += length;
    name->bytes[name->used] = '\0';
}

/* Rust's legacy names look like C++ with a hash at the end. */
static bool demangle_name(const char *linker_name, struct readable_name *name)
{
    name->used = 0;
    if (setjmp(name->too_long) != 0)
        return false;
    if (rust_demangle_callback(linker_name, DMGL_NO_OPTS, append_part, name))
        return true;
    name->used = 0;
    return cplus_demangle_v3_callback(linker_name, DMGL_PARAMS | DMGL_TYPES, append_part, name);
}

static char *without_version(const char *name)
{
    const char *version = name[0] != '\0' ? strchr(name + 1, '@') : NULL;

    if (version == NULL || version[1] == '\0' || strcmp(version, "@plt") == 0)
        return strdup(name);
    return strndup(name, (size_t)(version - name));
}

char *symbol_name_readable(const char *linker_name)
{
    bool is_mangled = strncmp(linker_name, "_R", 2) == 0 || strncmp(linker_name, "_Z", 2) == 0;
    struct readable_name *name = is_mangled ? malloc(sizeof(*name)) : NULL;
    char *readable = name != NULL && demangle_name(linker_name, name)
                         ? strndup(name->bytes, name->used)
                         : without_version(linker_name);

    free(name);
    return readable;
}
