/* Reading the values of a config, with errors that tell where: `FILE:LINE: programs[1].restart: …`.
 *
 * Functions return 0, or -EINVAL or -ENOMEM with the line for people written. One thread. */
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

/* Says what is wrong with the value at the path. */
__attribute__((format(printf, 2, 3))) void config_complain(struct config_reader *reader,
                                                           const char *format, ...);

/* The same, and -EINVAL. */
#define config_refuse(...) (config_complain(__VA_ARGS__), -EINVAL)

/* Says so; returns -ENOMEM. */
int config_no_memory(struct config_reader *reader);

/* The next token, which is no error. */
int config_next(struct config_reader *reader, int *token);

/* The next token, which has to be the one WANTED; WHAT names it for people. */
int config_expect(struct config_reader *reader, enum json_token wanted, const char *what);

/* Whether the open collection goes on. */
int config_more(struct config_reader *reader, bool *goes_on);

/* The token's text, owned by the caller, in *OUT, which is NULL. */
int config_take_text(struct config_reader *reader, char **out);

/* The same of the next token, which is a string and not empty. */
int config_read_text(struct config_reader *reader, char **out);

#endif
