#include "common/suggest.h"

#include <string.h>

enum { LONGEST_WORD = 32 };

static size_t min_of_three(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Edit distance with swaps of neighbours (optimal string alignment). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    size_t row[LONGEST_WORD + 1][LONGEST_WORD + 1];

    if (a_length > LONGEST_WORD || b_length > LONGEST_WORD)
        return LONGEST_WORD;
    for (size_t i = 0; i <= a_length; i++)
        row[i][0] = i;
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

            row[i][j] = min_of_three(row[i - 1][j] + 1, row[i][j - 1] + 1, change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                row[i - 2][j - 2] + 1 < row[i][j])
                row[i][j] = row[i - 2][j - 2] + 1;
        }
    }
    return row[a_length][b_length];
}

const char *suggest_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    size_t nearest = length / 3 + 1;
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t apart = edit_distance(word, candidates[i]);

        if (length >= 2 && strncmp(word, candidates[i], length) == 0)
            return candidates[i];
        if (apart <= nearest && apart < strlen(candidates[i])) {
            nearest = apart - (apart > 0);
            found = candidates[i];
        }
    }
    return found;
}
