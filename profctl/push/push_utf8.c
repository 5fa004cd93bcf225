#include "profctl/push/push_utf8.h"

#include <string.h>

#include "json/utf8.h"

void push_utf8_copy(char *out, size_t bytes, const char *text, size_t length)
{
    size_t used = 0;

    while (length > 0) {
        bool is_valid;
        size_t taken = utf8_sequence(text, length, &is_valid), needed = is_valid ? taken : 1;
        if (used + needed >= bytes)
            break;
        if (is_valid)
            memcpy(out + used, text, taken);
        else
            out[used] = '?';
        used += needed;
        text += taken;
        length -= taken;
    }
    out[used] = '\0';
}
