#include "profctl/printable.h"

#include <stdbool.h>
#include <string.h>

#include "json/utf8.h"

/* Of a character in valid UTF-8: up to U+001F, U+007F to U+009F, U+202A to U+202E, and U+2066 to
 * U+2069. */
static bool is_control(const unsigned char *text)
{
    if (text[0] < ' ' || text[0] == 0x7f)
        return true;
    if (text[0] == 0xc2)
        return text[1] <= 0x9f;
    return text[0] == 0xe2 && ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
                               (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
}

size_t printable_step(const char *text, size_t length, enum printable_kind *kind)
{
    bool is_valid;
    size_t bytes = utf8_sequence(text, length, &is_valid);

    *kind = !is_valid                                 ? PRINTABLE_BROKEN
            : is_control((const unsigned char *)text) ? PRINTABLE_CONTROL
                                                      : PRINTABLE_AS_IT_IS;
    return bytes;
}

char *make_printable(char *text)
{
    const char *from = text;
    char *to = text;

    for (size_t left = strlen(text); left > 0;) {
        enum printable_kind kind;
        size_t bytes = printable_step(from, left, &kind);

        if (kind == PRINTABLE_AS_IT_IS)
            to = (char *)memmove(to, from, bytes) + bytes;
        else
            *to++ = '?';
        from += bytes;
        left -= bytes;
    }
    *to = '\0';
    return text;
}
