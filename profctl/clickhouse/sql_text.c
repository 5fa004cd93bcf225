#include "profctl/clickhouse/sql_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void sql_text_free(struct sql_text *sql)
{
    mapped_array_free(&sql->bytes);
    *sql = (struct sql_text){ 0 };
}

void sql_text_clear(struct sql_text *sql)
{
    sql->bytes.count = 0;
    sql->error = 0;
}

/* Room for LENGTH more bytes and the end; NULL after a failure. */
static char *make_room(struct sql_text *sql, size_t length)
{
    if (sql->error == 0)
        sql->error = mapped_array_reserve(&sql->bytes, sql->bytes.count + length + 1, 1);
    return sql->error == 0 ? (char *)sql->bytes.items + sql->bytes.count : NULL;
}

void sql_text_add(struct sql_text *sql, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *place = length >= 0 ? make_room(sql, (size_t)length) : NULL;
    if (place == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(place, (size_t)length + 1, format, arguments);
    va_end(arguments);
    sql->bytes.count += (size_t)length;
}

static bool is_plain(unsigned char byte)
{
    return byte >= ' ' && byte < 0x7f && byte != '\'' && byte != '\\';
}

void sql_text_quote(struct sql_text *sql, const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    char *place = make_room(sql, 4 * length + 2);

    if (place == NULL)
        return;
    *place++ = '\'';
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (is_plain(byte)) {
            *place++ = (char)byte;
            continue;
        }
        *place++ = '\\';
        *place++ = 'x';
        *place++ = digits[byte >> 4];
        *place++ = digits[byte & 15];
    }
    *place++ = '\'';
    *place = '\0';
    sql->bytes.count = (size_t)(place - (char *)sql->bytes.items);
}

const char *sql_text_get(const struct sql_text *sql)
{
    return sql->error == 0 && sql->bytes.count > 0 ? sql->bytes.items : "";
}
