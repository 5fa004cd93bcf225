/* Steps through objects and arrays as they are read from a JSON stream:
 *
 *     int error = json_expect(reader, JSON_TOKEN_START_OBJECT);
 *
 *     while (json_next_member(reader, &error))
 *         error = read_member(reader);
 *     return error;
 *
 * Errors are those of json_reader_next(), and -EPROTO for a value of another kind. One thread. */
#ifndef PROFD_PROFCTL_JSON_STEPS_H
#define PROFD_PROFCTL_JSON_STEPS_H

#include <errno.h>
#include <stdbool.h>

#include "json/json_reader.h"

/* The error for an unexpected TOKEN: itself when it is an error, else -EPROTO. */
static inline int json_token_error(int token)
{
    return token < 0 ? token : -EPROTO;
}

/* Reads the next token, which must be WANTED. 0 or an error. */
int json_expect(struct json_reader *reader, enum json_token wanted);

/* --- Loops. Each takes in *ERR what became of the step before, and goes on only from 0. Where it
 * returns false, *ERR is 0 behind the end of the collection, else an error. --- */

/* Whether the open object has another member, whose key was read then; the step reads the value. */
bool json_next_member(struct json_reader *reader, int *error);

/* Whether the open array has another element, which must be an object or an array; its start was
 * read then, and the step reads it to its end. */
bool json_next_object(struct json_reader *reader, int *error);
bool json_next_array(struct json_reader *reader, int *error);

#endif
