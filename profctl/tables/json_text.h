/* Single values of a JSON document that are kept: texts, and numbers. One thread. */
#ifndef PROFD_PROFCTL_JSON_TEXT_H
#define PROFD_PROFCTL_JSON_TEXT_H

#include "json/json_reader.h"
#include "json/mapped_array.h"

/* Reads the next value, which is a string or null, into *TEXT, freeing what was there; null leaves
 * it. *TEXT is the caller's to free. Returns 0, -EPROTO for another value, -ENOMEM, or the reader's
 * error. */
int json_text_keep(struct json_reader *reader, char **text);

/* The same, where any other value is passed over. */
int json_text_keep_if_string(struct json_reader *reader, char **text);

/* Keeps the string that READER has just returned; as above. Returns 0, -ENOMEM, or the reader's
 * error. */
int json_text_keep_string(struct json_reader *reader, char **text);

/* Reads the next value into *NUMBER when it is a number; any other value is passed over. Returns 0
 * or the reader's error. */
int json_number_keep(struct json_reader *reader, double *number);

/* The same, also where the number is written as a text: Gecko has pids of both kinds. */
int json_number_keep_either(struct json_reader *reader, double *number);

/* Reads the next value, whatever it is, and appends it as it is written to BYTES (char). Call where
 * a value can come. Returns 0, -ENOMEM, or the reader's error. */
int json_text_append_value(struct json_reader *reader, struct mapped_array *bytes);

#endif
