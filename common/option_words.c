#include "common/option_words.h"

#include <string.h>

/* Gives the option its value: what is ATTACHED to it (NULL: nothing), or the next word. */
static enum option_word_kind take_value(struct option_words *words, const char *attached,
                                        struct option_word *out)
{
    if (attached == NULL && words->next == words->count)
        return OPTION_WORD_VALUE_MISSING;
    out->value = attached != NULL ? attached : words->words[words->next++];
    return OPTION_WORD_OPTION;
}

static enum option_word_kind take_name(struct option_words *words, const struct option_table *table,
                                       struct option_word *out)
{
    const char *name = out->word + 2;
    size_t length = strcspn(name, "=");
    const char *attached = name[length] == '=' ? name + length + 1 : NULL;

    out->row = option_table_find(table, name, length);
    if (out->row == NULL)
        return OPTION_WORD_UNKNOWN;
    if (out->row->value != NULL)
        return take_value(words, attached, out);
    return attached != NULL ? OPTION_WORD_VALUE_UNWANTED : OPTION_WORD_OPTION;
}

/* The next letter of the word; what is behind one that takes a value is that. */
static enum option_word_kind take_letter(struct option_words *words,
                                         const struct option_table *table, struct option_word *out)
{
    const char *rest = words->letters + 1;

    out->row = option_table_letter(table, *words->letters);
    words->letters = *rest != '\0' ? rest : NULL;
    if (out->row == NULL)
        return OPTION_WORD_UNKNOWN;
    if (out->row->value == NULL)
        return OPTION_WORD_OPTION;
    words->letters = NULL;
    return take_value(words, *rest != '\0' ? rest : NULL, out);
}

enum option_word_kind option_words_next(struct option_words *words,
                                        const struct option_table *table, struct option_word *out)
{
    *out = (struct option_word){ .word = NULL };
    if (words->letters != NULL) {
        out->word = words->words[words->next - 1];
        return take_letter(words, table, out);
    }
    if (words->next == words->count)
        return OPTION_WORD_NONE;
    out->word = words->words[words->next++];
    if (strcmp(out->word, "--") == 0)
        return OPTION_WORD_DASHES;
    if (out->word[0] != '-' || out->word[1] == '\0')
        return OPTION_WORD_OPERAND;
    if (out->word[1] == '-')
        return take_name(words, table, out);
    words->letters = out->word + 1;
    return take_letter(words, table, out);
}
