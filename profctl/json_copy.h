/* Copies parts of a JSON stream to a writer. */
#ifndef PROFD_PROFCTL_JSON_COPY_H
#define PROFD_PROFCTL_JSON_COPY_H

#include "json/json_reader.h"
#include "json/json_writer.h"

/* Copies a scalar or a key: TOKEN, which READER has just returned. Returns 0, -ENOMEM, or -EPROTO
 * if it is a collection. */
int json_copy_token(struct json_reader *reader, int token, struct json_writer *writer);

/* Copies a value of any size that begins with TOKEN, which READER has just returned. Returns 0 or
 * an error of json_reader_next(). */
int json_copy_from(struct json_reader *reader, int token, struct json_writer *writer);

/* Reads the next value. If it is a string, returns 1 with its text, valid until the next call of
 * the reader; otherwise copies it and returns 0. Or returns an error of json_reader_next(). */
int json_copy_unless_text(struct json_reader *reader, struct json_writer *writer, const char **text,
                          size_t *length);

/* Copies a member whose key READER has just returned. Returns 0 or an error of
 * json_reader_next(). */
int json_copy_member(struct json_reader *reader, struct json_writer *writer);

/* Copies the next value. Returns 0 or an error of json_reader_next(). */
int json_copy_value(struct json_reader *reader, struct json_writer *writer);

#endif
