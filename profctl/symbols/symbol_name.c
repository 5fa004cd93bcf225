#include "profctl/symbols/symbol_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/symbols/rust_name.h"

enum {
    RUST_HASH_DIGITS = 16,
    RUST_HASH_LENGTH = 3 + RUST_HASH_DIGITS, /* "::h" and the digits */
};

/* From libstdc++. 0 in *STATUS when demangled; memory from malloc. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static char *demangle_cxx(const char *name)
{
    int status = 0;
    char *readable = __cxa_demangle(name, NULL, NULL, &status);

    return status == 0 ? readable : NULL;
}

static bool is_rust_hash(const char *text)
{
    return strncmp(text, "::h", 3) == 0 && strspn(text + 3, "0123456789abcdef") == RUST_HASH_DIGITS;
}

/* "core::fmt::write::h0123456789abcdef", maybe with " [clone …]" behind. */
static char *find_rust_hash(char *name)
{
    for (char *at = strstr(name, "::h"); at != NULL; at = strstr(at + 1, "::h"))
        if (is_rust_hash(at) && (at[RUST_HASH_LENGTH] == '\0' || at[RUST_HASH_LENGTH] == ' '))
            return at;
    return NULL;
}

static const struct {
    const char *escape;
    char character;
} rust_escapes[] = {
    { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
    { "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
};

/* Reads one escape at TEXT: its length, and the character in *CHARACTER; 0 when it is none. */
static size_t rust_escape(const char *text, char *character)
{
    char *end;
    long code;

    for (size_t i = 0; i < sizeof(rust_escapes) / sizeof(rust_escapes[0]); i++) {
        size_t length = strlen(rust_escapes[i].escape);

        if (strncmp(text, rust_escapes[i].escape, length) == 0) {
            *character = rust_escapes[i].character;
            return length;
        }
    }
    if (text[1] != 'u' || !isxdigit((unsigned char)text[2]))
        return 0;
    code = strtol(text + 2, &end, 16);
    if (*end != '$' || code < ' ' || code > '~')
        return 0;
    *character = (char)code;
    return (size_t)(end + 1 - text);
}

/* Rust's own escapes inside a name that otherwise looks like C++; in place, it only gets shorter.
 */
static void unescape_rust(char *name)
{
    char *out = name;

    for (const char *in = name; *in != '\0';) {
        size_t length = *in == '$' ? rust_escape(in, out) : 0;

        if (length > 0) {
            in += length;
            out++;
        } else if (in[0] == '.' && in[1] == '.') {
            *out++ = ':';
            *out++ = ':';
            in += 2;
        } else if (in[0] == '_' && in[1] == '$' && (out == name || out[-1] == ':')) {
            in++;
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
}

static char *without_version(const char *name)
{
    const char *version = strchr(name + 1, '@');

    if (version == NULL || version[1] == '\0' || strcmp(version, "@plt") == 0)
        return strdup(name);
    return strndup(name, (size_t)(version - name));
}

char *symbol_name_readable(const char *linker_name)
{
    char *readable = NULL, *hash;

    if (strncmp(linker_name, "_R", 2) == 0)
        readable = rust_name_demangle(linker_name);
    else if (strncmp(linker_name, "_Z", 2) == 0)
        readable = demangle_cxx(linker_name);
    if (readable == NULL)
        return linker_name[0] == '\0' ? strdup("") : without_version(linker_name);
    hash = find_rust_hash(readable);
    if (hash != NULL) {
        *hash = '\0';
        unescape_rust(readable);
    }
    return readable;
}
