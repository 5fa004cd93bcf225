/* The words of a command line, taken one after the other: "--name VALUE", "--name=VALUE",
 * "-n VALUE", "-nVALUE", letters of options without a value together, and operands.
 *
 * Names cannot be abbreviated, so that options added later change nothing. Pure. */
#ifndef PROFD_COMMON_OPTION_WORDS_H
#define PROFD_COMMON_OPTION_WORDS_H

#include "common/option_table.h"

/* The current position. Zeroed except for WORDS and COUNT, it is at the first word. */
struct option_words {
    char *const *words; /* borrowed */
    int count;
    int next;            /* the first that was not taken */
    const char *letters; /* those that are left of the word before; NULL: none */
};

enum option_word_kind {
    OPTION_WORD_NONE,           /* all are taken */
    OPTION_WORD_DASHES,         /* "--": what follows is no option */
    OPTION_WORD_OPERAND,        /* no option; "-" is none */
    OPTION_WORD_OPTION,         /* an option, with the value that it takes */
    OPTION_WORD_UNKNOWN,        /* an option that is not in the table */
    OPTION_WORD_VALUE_MISSING,  /* an option at the end, without the value that it takes */
    OPTION_WORD_VALUE_UNWANTED, /* a value for an option that takes none */
};

/* What was taken. Texts point into the command line. */
struct option_word {
    const char *word;             /* as it was written */
    const struct option_row *row; /* of an option that is known */
    const char *value;            /* NULL: it takes none */
};

/* Takes the next option or operand. */
enum option_word_kind option_words_next(struct option_words *words,
                                        const struct option_table *table, struct option_word *out);

#endif
