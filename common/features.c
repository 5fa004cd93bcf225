#include "common/features.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/suggest.h"

#define X(name, bit, text, help) text,
static const char *const names[] = { FEATURES(X) };
#undef X

#define X(name, bit, text, help) FEATURE_##name,
static const uint64_t feature_bits[] = { FEATURES(X) };
#undef X

#define X(name, bit, text, help) +sizeof(text)
_Static_assert(0 FEATURES(X) < FEATURES_TEXT_BYTES, "room for all names");
#undef X

static uint64_t bit_of(const char *word, size_t length)
{
    for (size_t i = 0; i < FEATURE_COUNT; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return feature_bits[i];
    return 0;
}

int features_parse(const char *text, uint64_t *bits, char unknown[FEATURE_WORD_BYTES])
{
    *bits = 0;
    for (const char *next = text;; next++) {
        size_t length = (size_t)(strchrnul(next, ',') - next);
        uint64_t bit = bit_of(next, length);

        if (bit == 0) {
            snprintf(unknown, FEATURE_WORD_BYTES, "%.*s", (int)length, next);
            return -EINVAL;
        }
        *bits |= bit;
        next += length;
        if (*next == '\0')
            return 0;
    }
}

const char *features_nearest(const char *word)
{
    return suggest_nearest(word, names, FEATURE_COUNT);
}

const char *features_refuse(const char *unknown, char out[FEATURE_REFUSAL_BYTES])
{
    const char *meant = features_nearest(unknown);

    snprintf(out, FEATURE_REFUSAL_BYTES, "unknown feature '%.*s'; %s%s%s", FEATURE_WORD_BYTES - 1,
             unknown, meant != NULL ? "did you mean '" : "profctl-start(1) lists them",
             meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    return out;
}

const char *features_format(uint64_t bits, char out[FEATURES_TEXT_BYTES])
{
    char *end = out;

    *end = '\0';
    for (size_t i = 0; i < FEATURE_COUNT; i++) {
        if ((bits & feature_bits[i]) == 0)
            continue;
        if (end != out)
            *end++ = ',';
        end = stpcpy(end, names[i]);
    }
    return out;
}

void features_names(uint64_t bits, const char *out[FEATURE_COUNT + 1])
{
    size_t count = 0;

    for (size_t i = 0; i < FEATURE_COUNT; i++)
        if ((bits & feature_bits[i]) != 0)
            out[count++] = names[i];
    out[count] = NULL;
}
