/* SQL for ClickHouse as a growing text. Values are quoted, whatever bytes they contain; nothing
 * else may come from outside.
 *
 * A failure is kept, and later calls do nothing. One thread. */
#ifndef PROFD_PROFCTL_SQL_TEXT_H
#define PROFD_PROFCTL_SQL_TEXT_H

#include <stddef.h>

#include "json/mapped_array.h"

/* A zeroed struct is empty. */
struct sql_text {
    struct mapped_array bytes; /* char, terminated */
    int error;                 /* 0 or -ENOMEM */
};

void sql_text_free(struct sql_text *sql);
/* Drops the text but keeps the memory. */
void sql_text_clear(struct sql_text *sql);

void sql_text_add(struct sql_text *sql, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends LENGTH bytes as a quoted string. */
void sql_text_quote(struct sql_text *sql, const char *bytes, size_t length);

/* Returns the text, terminated; "" after a failure. Valid until the next call. */
const char *sql_text_get(const struct sql_text *sql);

#endif
