/* Steps through objects and arrays of a JSON stream while they are read:
 *
 *     int error = json_expect(reader, JSON_TOKEN_START_OBJECT);
 *
 *     while (json_next_member(reader, &error))
 *         error = read_member(reader);
 *     return error;
 *
 * Errors are those of json_reader_next(), and -EPROTO for a value of the wrong type. One thread. */
#ifndef PROFD_PROFCTL_JSON_STEPS_H
#define PROFD_PROFCTL_JSON_STEPS_H

#include <errno.h>
#include <stdbool.h>

#include "json/json_reader.h"

/* Returns the error for an unexpected TOKEN: TOKEN itself if it is an error, else -EPROTO. */
static inline int json_token_error(int token)
{
    return token < 0 ? token : -EPROTO;
}

/* Reads the next token, which must be WANTED. Returns 0 or an error. */
int json_expect(struct json_reader *reader, enum json_token wanted);

/* --- Loops. Each takes the result of the previous step in *ERR, and continues only if it is 0.
 * When it returns false, *ERR is 0 at the end of the collection, else an error. --- */

/* Returns whether the open object has another member. Its key has been read then; the step reads
 * the value. */
bool json_next_member(struct json_reader *reader, int *error);

/* Return whether the open array has another element, which must be an object or an array. Its start
 * has been read then; the step reads it to its end. */
bool json_next_object(struct json_reader *reader, int *error);
bool json_next_array(struct json_reader *reader, int *error);

#endif
