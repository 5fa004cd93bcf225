#include <errno.h>
#include <string.h>

#include "profctl/symbols/jit_lists.h"

enum { LINE_BYTES = 4096 };

/* Takes a hexadecimal number and the blank behind it off the front of *TEXT. */
static bool take_number(const char **text, uint64_t *number)
{
    const char *next = *text;
    int digits = 0;

    *number = 0;
    if (next[0] == '0' && (next[1] == 'x' || next[1] == 'X'))
        next += 2;
    for (; digits < 16; digits++, next++) {
        static const char hexadecimal[] = "0123456789abcdef";
        const char *digit = *next != '\0' ? strchr(hexadecimal, *next | 0x20) : NULL;

        if (digit == NULL)
            break;
        *number = *number << 4 | (uint64_t)(digit - hexadecimal);
    }
    if (digits == 0 || *next != ' ')
        return false;
    *text = next + 1;
    return true;
}

static int take_line(const char *line, size_t length, struct jit_code *code)
{
    const char *name = line;
    uint64_t start, bytes;

    if (!take_number(&name, &start) || !take_number(&name, &bytes) || name == line + length)
        return 0;
    return jit_code_add(code, start, bytes, name, length - (size_t)(name - line));
}

/* Reads a line without its end into LINE, terminated and cut where it would be too long; a zero
 * byte in it becomes '?'. False at the end of the file. */
static bool read_line(FILE *file, char line[LINE_BYTES], size_t *length, uint64_t *file_bytes)
{
    int byte = getc_unlocked(file);

    *length = 0;
    if (byte == EOF)
        return false;
    for (; byte != EOF && byte != '\n' && *file_bytes < JIT_MAX_FILE_BYTES;
         byte = getc_unlocked(file), ++*file_bytes)
        if (*length < LINE_BYTES - 1)
            line[(*length)++] = (char)(byte != '\0' ? byte : '?');
    line[*length] = '\0';
    ++*file_bytes;
    return true;
}

int jit_read_perf_map(FILE *file, struct jit_code *code)
{
    char line[LINE_BYTES];
    uint64_t file_bytes = 0;
    size_t length;
    int error = 0;

    while (error == 0 && file_bytes < JIT_MAX_FILE_BYTES &&
           read_line(file, line, &length, &file_bytes))
        error = take_line(line, length, code);
    return error == 0 && ferror(file) ? -EIO : error;
}
