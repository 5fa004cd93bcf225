#include <errno.h>
#include <string.h>

#include "profctl/jit_lists.h"

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

static int take_line(const char *line, struct jit_code *code)
{
    uint64_t start, bytes;

    if (!take_number(&line, &start) || !take_number(&line, &bytes) || *line == '\0')
        return 0;
    return jit_code_add(code, start, bytes, line, strlen(line));
}

/* Reads on to the end of a line that was too long. */
static void skip_line(FILE *file)
{
    int byte;

    do
        byte = getc_unlocked(file);
    while (byte != EOF && byte != '\n');
}

int jit_read_perf_map(FILE *file, struct jit_code *code)
{
    char line[LINE_BYTES];
    int err = 0;

    while (err == 0 && fgets(line, sizeof(line), file) != NULL) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        else
            skip_line(file);
        err = take_line(line, code);
    }
    return err == 0 && ferror(file) ? -EIO : err;
}
