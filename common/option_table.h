/* The options of a program: one table by which its command line is read (option_words.h) and its
 * help is printed. Pure, except for printing. */
#ifndef PROFD_COMMON_OPTION_TABLE_H
#define PROFD_COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OPTION_TABLE_MAX_ROWS = 96 };

struct option_row {
    unsigned sets;     /* bits of the program: who takes it */
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* what help calls its value; NULL: takes none */
    int kind;          /* for the program: what value that is … */
    size_t offset;     /* … and where in its struct it goes */
    const char *help;  /* lines with '\n' between; NULL: for nobody to see */
};

/* A view of the rows that belong to one of SETS. */
struct option_table {
    const struct option_row *rows;
    size_t count; /* at most OPTION_TABLE_MAX_ROWS */
    unsigned sets;
};

/* The option called NAME (LENGTH bytes, all of its name), or NULL. */
const struct option_row *option_table_find(const struct option_table *table, const char *name,
                                           size_t length);
/* The option with that letter, or NULL. */
const struct option_row *option_table_letter(const struct option_table *table, char letter);

/* The name that NAME was most likely meant to be, or NULL. */
const char *option_table_nearest(const struct option_table *table, const char *name);

/* The layout of the help. */
struct option_layout {
    bool has_letters; /* there is a column for them */
    int name_columns; /* for the name and what its value is called */
};

/* Prints the help of ROW, all lines of it in one column. */
void option_row_print(FILE *out, const struct option_row *row, const struct option_layout *layout);

#endif
