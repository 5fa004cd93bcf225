/* One library whose addresses get names: its file, symbol tables and DWARF, each read when first
 * needed, and every answer kept, since many processes ask the same.
 *
 * Addresses are those of the library's file (p_vaddr). One thread. */
#ifndef PROFD_PROFCTL_SYMBOL_LIBRARY_H
#define PROFD_PROFCTL_SYMBOL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_frame {
    uint32_t location; /* see symbol_library_location */
    uint32_t line;     /* 0: unknown */
    const char *file;  /* that it is in, as the compiler saw it; the library's; NULL: unknown */
};

/* The functions at one address, outermost first; more than one where functions were inlined. */
struct symbol_frames {
    const struct symbol_frame *frames;
    size_t count;   /* 0: the address has no name … */
    uint64_t start; /* … but may be in a function that starts here; 0: not known */
    uint64_t end;   /* behind that function's last byte; 0: not known */
};

struct symbol_library; /* opaque */

/* NAME is shown in locations, BUILD_ID as for symbol_file_open(). Opens nothing yet. Returns 0 or
 * -ENOMEM. */
int symbol_library_create(const char *name, const char *path, const char *build_id,
                          struct symbol_library **out);
void symbol_library_free(struct symbol_library *library);

/* A process that has the library mapped, as a way to its file, in case it was not found before. */
void symbol_library_seen_in(struct symbol_library *library, int64_t pid);

/* The functions at ADDRESS; valid until the next call. 0 (also when there is no name) or -ENOMEM.
 */
int symbol_library_resolve(struct symbol_library *library, uint64_t address,
                           struct symbol_frames *out);

/* "function (in library)"; a view, valid until the next resolve. */
const char *symbol_library_location(const struct symbol_library *library, uint32_t location,
                                    size_t *length);

/* Copies the code at ADDRESS out of the library's file: *COUNT of at most CAPACITY bytes, less at
 * the end of what the file holds. Returns 0, -ENOENT when there is no file or no code, or
 * -ENOMEM. */
int symbol_library_code(struct symbol_library *library, uint64_t address, uint8_t *code,
                        size_t capacity, size_t *count);

#endif
