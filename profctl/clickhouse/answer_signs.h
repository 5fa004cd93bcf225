/* What in an answer with a status of success shows that a ClickHouse gave it, and that nothing went
 * wrong after the status was sent: a page for people, of whatever stands in for the server, is no
 * answer, and an exception may come in a header or at the end of the body. Pure. */
#ifndef PROFD_PROFCTL_ANSWER_SIGNS_H
#define PROFD_PROFCTL_ANSWER_SIGNS_H

#include <stdbool.h>
#include <stddef.h>

#include "profctl/http/http_client.h"

enum { SIGNS_FIRST_BYTES = 200, SIGNS_LAST_BYTES = 2048, SIGNS_CODE_BYTES = 16 };

/* A zeroed struct has seen nothing. */
struct answer_signs {
    bool is_of_clickhouse;         /* by its headers */
    char code[SIGNS_CODE_BYTES];   /* of the exception that a header tells; "": none */
    char first[SIGNS_FIRST_BYTES]; /* the beginning of the body, as is … */
    size_t first_length;
    char last[SIGNS_LAST_BYTES]; /* … and the end */
    size_t last_length;
};

/* Take a header, terminated, and a part of the body. */
void answer_signs_take_header(struct answer_signs *signs, const char *line);
void answer_signs_take_body(struct answer_signs *signs, const char *bytes, size_t count);

/* Settles the outcome and the text of ANSWER, which came from SERVER with a status of success: it
 * stays HTTP_DONE if it is one. IS_TO_BE_EMPTY: a body would not belong there, and leaves open what
 * was done. */
void answer_signs_judge(const struct answer_signs *signs, const char *server, bool is_to_be_empty,
                        struct http_answer *answer);

#endif
