#include "common/option_table.h"

#include <string.h>

#include "common/suggest.h"

/* Left of the name, of a letter with its dash and comma, and right of the name. */
enum { MARGIN = 2, LETTER_COLUMNS = 4, GAP = 1 };

static bool is_row_in_table(const struct option_table *table, const struct option_row *row)
{
    return (row->sets & table->sets) != 0;
}

const struct option_row *option_table_find(const struct option_table *table, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];

        if (is_row_in_table(table, row) && strlen(row->name) == length &&
            memcmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

const struct option_row *option_table_letter(const struct option_table *table, char letter)
{
    for (size_t i = 0; i < table->count; i++)
        if (is_row_in_table(table, &table->rows[i]) && table->rows[i].letter == letter &&
            letter != 0)
            return &table->rows[i];
    return NULL;
}

const char *option_table_nearest(const struct option_table *table, const char *name)
{
    const char *names[OPTION_TABLE_MAX_ROWS];
    size_t count = 0;

    for (size_t i = 0; i < table->count && count < OPTION_TABLE_MAX_ROWS; i++)
        if (is_row_in_table(table, &table->rows[i]))
            names[count++] = table->rows[i].name;
    return suggest_nearest(name, names, count);
}

/* The lines of TEXT, the first where we are and the others INDENT columns from the left. */
static void print_lines(FILE *out, const char *text, int indent)
{
    for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(text, '\n')) {
        fprintf(out, "%.*s\n%*s", (int)(end - text), text, indent, "");
        text = end + 1;
    }
    fprintf(out, "%s\n", text);
}

void option_row_print(FILE *out, const struct option_row *row, const struct option_layout *layout)
{
    char letter[LETTER_COLUMNS + 1] = "";
    char name[64];
    int letter_columns = layout->has_letters ? LETTER_COLUMNS : 0;

    if (row->help == NULL)
        return;
    if (row->letter != 0)
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    snprintf(name, sizeof(name), "--%s%s%s", row->name, row->value != NULL ? " " : "",
             row->value != NULL ? row->value : "");
    fprintf(out, "%*s%-*.*s%-*s%*s", MARGIN, "", letter_columns, letter_columns, letter,
            layout->name_columns, name, GAP, "");
    print_lines(out, row->help, MARGIN + letter_columns + layout->name_columns + GAP);
}
