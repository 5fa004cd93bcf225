#include "json/document_print.h"

#include <stdlib.h>
#include <string.h>

#include "json/utf8.h"

enum { REPLACEMENT_BYTES = 3 };

/* OUT has room for a replacement of each byte of IN. */
static void repair_utf8(char *out, const char *in)
{
    size_t length = strlen(in);

    while (length > 0) {
        bool is_valid;
        size_t taken = utf8_sequence(in, length, &is_valid);
        size_t given = is_valid ? taken : REPLACEMENT_BYTES;
        memcpy(out, is_valid ? in : "\xef\xbf\xbd", given);
        out += given;
        in += taken;
        length -= taken;
    }
    *out = '\0';
}

static bool is_utf8(const char *text)
{
    size_t length = strlen(text);
    bool is_valid = true;

    while (length > 0 && is_valid) {
        size_t taken = utf8_sequence(text, length, &is_valid);
        text += taken;
        length -= taken;
    }
    return is_valid;
}

char *document_print(const cJSON *root)
{
    char *text = cJSON_PrintUnformatted(root);

    if (text == NULL || is_utf8(text))
        return text;
    char *repaired = malloc(strlen(text) * REPLACEMENT_BYTES + 1);
    if (repaired != NULL)
        repair_utf8(repaired, text);
    free(text);
    return repaired;
}
