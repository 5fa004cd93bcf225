/* Parses the name of a frame: the library of its function, or the file and line of a script.
 *
 *     function (in library)        native code
 *     function (file:line:column)  a frame of a language; the column, and the name, may be missing
 *     anything else                a label, or code of which nothing more is known
 *
 * Pure. */
#ifndef PROFD_PROFCTL_FUNCTION_NAME_H
#define PROFD_PROFCTL_FUNCTION_NAME_H

#include <stddef.h>
#include <stdint.h>

/* Views of the text; not terminated. */
struct function_name {
    const char *function; /* the whole text if it has none of the forms */
    size_t function_length;
    const char *library; /* NULL: it tells none */
    size_t library_length;
    const char *file; /* NULL: it tells none */
    size_t file_length;
    uint32_t line, column; /* of FILE; column 0: not known */
};

void function_name_parse(const char *text, size_t length, struct function_name *out);

#endif
