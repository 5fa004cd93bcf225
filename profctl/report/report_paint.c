#include "profctl/report/report_paint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BOLD   "\033[1m"
#define FAINT  "\033[2m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

/* From so many percent on. */
static const double hot_percent = 10, warm_percent = 2;

/* Columns of a name that stay, or else the parenthesis at its end goes. */
enum { LEAST_NAME = 12 };

/* A line as it is shown: its beginning, and its end where something between is left out. */
struct shown_line {
    const char *head, *tail;
    size_t head_length, tail_length;
    bool is_cut;
};

/* --- Width --- */

/* Whether BYTE is within a character of UTF-8, behind its first one. */
static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t count_columns(const char *text, size_t length)
{
    size_t columns = 0;

    for (size_t i = 0; i < length; i++)
        columns += !is_continuation(text[i]);
    return columns;
}

/* How many bytes the first COLUMNS columns of TEXT are. */
static size_t bytes_of_columns(const char *text, size_t length, size_t columns)
{
    size_t bytes = 0;

    while (bytes < length && (columns > 0 || is_continuation(text[bytes])))
        columns -= !is_continuation(text[bytes++]);
    return bytes;
}

/* Where " (…)" at the end of LINE begins; LENGTH: it ends otherwise. */
static size_t find_tail(const char *line, size_t length)
{
    size_t depth = 0;

    if (length == 0 || line[length - 1] != ')')
        return length;
    for (size_t i = length; i-- > 1;) {
        depth += line[i] == ')';
        depth -= line[i] == '(';
        if (depth == 0)
            return line[i - 1] == ' ' ? i - 1 : length;
    }
    return length;
}

/* The columns in front of what a row ends with, which is two blanks behind the column before. */
static size_t find_last_column(const char *line, size_t length)
{
    for (size_t i = length; i > 2; i--) {
        if (line[i - 1] == ' ' && line[i - 2] == ' ')
            return count_columns(line, i);
    }
    return 0;
}

/* Rows of tables are cut, and begin with a blank; sentences are not. */
static bool is_too_long(const struct report_paint *paint, const char *line, size_t length)
{
    return paint->columns > 0 && length > 0 && line[0] == ' ' &&
           count_columns(line, length) > paint->columns;
}

static struct shown_line cut_line(const struct report_paint *paint, const char *line, size_t length)
{
    size_t tail = find_tail(line, length);
    size_t tail_columns = count_columns(line + tail, length - tail);
    size_t last_column = find_last_column(line, length);
    struct shown_line shown = {
        .head = line, .head_length = tail, .tail = line + tail, .tail_length = length - tail
    };

    if (!is_too_long(paint, line, length))
        return shown;
    shown.is_cut = true;
    if (last_column + LEAST_NAME + tail_columns > paint->columns) {
        tail_columns = 0;
        shown.tail_length = 0;
    }
    shown.head_length = bytes_of_columns(line, length, paint->columns - tail_columns - 1);
    return shown;
}

/* --- Colours --- */

/* The heading that LINE begins with: up to a colon, or all of a line that stands behind an empty
 * one. */
static size_t find_heading(const struct report_paint *paint, const struct shown_line *shown)
{
    const char *colon = memmem(shown->head, shown->head_length, ": ", 2);

    if (shown->head_length == 0 || shown->head[0] == ' ')
        return 0;
    if (colon != NULL)
        return (size_t)(colon - shown->head);
    if (shown->head[shown->head_length - 1] == ':')
        return shown->head_length;
    return paint->is_behind_text ? 0 : shown->head_length;
}

/* The bytes of a percentage that TEXT begins with, as "12.3%"; 0: it begins with none. */
static size_t percentage_length(const char *text, size_t length)
{
    size_t digits = 0;

    while (digits < length && (isdigit((unsigned char)text[digits]) || text[digits] == '.'))
        digits++;
    return digits > 0 && digits < length && text[digits] == '%' ? digits + 1 : 0;
}

static const char *colour_of(double percent)
{
    if (percent >= hot_percent)
        return RED;
    return percent >= warm_percent ? YELLOW : "";
}

static void put_number(const char *text, size_t length, FILE *out)
{
    const char *colour = colour_of(strtod(text, NULL));

    fprintf(out, "%s%.*s%s", colour, (int)length, text, colour[0] != '\0' ? PLAIN : "");
}

/* TEXT, with its percentages coloured. */
static void put_numbers(const char *text, size_t length, FILE *out)
{
    bool is_behind_blank = true;

    while (length > 0) {
        size_t number = is_behind_blank ? percentage_length(text, length) : 0;
        size_t step = number > 0 ? number : 1;
        if (number > 0)
            put_number(text, number, out);
        else
            (void)putc_unlocked(*text, out);
        is_behind_blank = text[step - 1] == ' ';
        text += step;
        length -= step;
    }
}

static void put_coloured(const struct report_paint *paint, const struct shown_line *shown,
                         FILE *out)
{
    size_t heading = find_heading(paint, shown);

    if (heading > 0)
        fprintf(out, BOLD "%.*s" PLAIN, (int)heading, shown->head);
    put_numbers(shown->head + heading, shown->head_length - heading, out);
    if (shown->is_cut)
        fputs("…", out);
    if (shown->tail_length > 0)
        fprintf(out, FAINT "%.*s" PLAIN, (int)shown->tail_length, shown->tail);
}

void report_paint_line(struct report_paint *paint, const char *line, size_t length, FILE *out)
{
    struct shown_line shown = cut_line(paint, line, length);

    if (paint->has_colours)
        put_coloured(paint, &shown, out);
    else
        fprintf(out, "%.*s%s%.*s", (int)shown.head_length, shown.head, shown.is_cut ? "…" : "",
                (int)shown.tail_length, shown.tail);
    (void)putc_unlocked('\n', out);
    paint->is_behind_text = length > 0;
}
