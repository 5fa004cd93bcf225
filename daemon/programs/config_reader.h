/* Reads the values of a config. Errors name the place: `FILE:LINE: programs[1].restart: …`.
 *
 * Unless stated otherwise, functions return 0, or -EINVAL or -ENOMEM with a line for people in
 * error_text. One thread. */
#ifndef PROFD_DAEMON_CONFIG_READER_H
#define PROFD_DAEMON_CONFIG_READER_H

#include <errno.h>
#include <stdbool.h>

#include "daemon/programs/config.h"
#include "json/json_reader.h"

enum { CONFIG_PATH_BYTES = 160 };

struct config_reader {
    struct json_reader *json;
    const char *text, *file;
    char *error_text; /* CONFIG_ERROR_TEXT bytes */
    char
        path[CONFIG_PATH_BYTES]; /* of the value being read: "programs[1].restart"; "" at the top */
};

/* Writes what is wrong with the value at the path to error_text. */
__attribute__((format(printf, 2, 3))) void config_complain(struct config_reader *reader,
                                                           const char *format, ...);

/* The same; its value is -EINVAL. */
#define config_refuse(...) (config_complain(__VA_ARGS__), -EINVAL)

/* Refuses the key that was read, of those EXPECTED, a list for people. */
int config_refuse_key(struct config_reader *reader, const char *expected);

/* Reports that memory is out; returns -ENOMEM. */
int config_no_memory(struct config_reader *reader);

/* Reads the next token; malformed JSON is an error. */
int config_next(struct config_reader *reader, int *token);

/* Reads the next token, which must be WANTED; WHAT names it for people. */
int config_expect(struct config_reader *reader, enum json_token wanted, const char *what);

/* Sets *GOES_ON if the open collection has another element or member. */
int config_more(struct config_reader *reader, bool *goes_on);

/* Puts the token's text, which the caller then owns, into *OUT, which is NULL before. */
int config_take_text(struct config_reader *reader, char **out);

/* The same for the next token, which must be a string that is not empty. */
int config_read_text(struct config_reader *reader, char **out);

#endif
