/* SQL for ClickHouse as a growing text. Values are quoted whatever bytes they have, and nothing
 * else comes from outside.
 *
 * A failure is kept, and makes every later call do nothing. One thread. */
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
/* Forgets the text, keeps the memory. */
void sql_text_clear(struct sql_text *sql);

void sql_text_add(struct sql_text *sql, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* LENGTH bytes as a string in quotes. */
void sql_text_quote(struct sql_text *sql, const char *bytes, size_t length);

/* The text, terminated; "" after a failure. Valid until the next call. */
const char *sql_text_get(const struct sql_text *sql);

#endif
