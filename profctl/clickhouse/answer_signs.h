/* What in an answer shows whether a ClickHouse gave it, and what became of the request. A page of
 * whatever stands in for the server is no answer, with any status. With a status of success, an
 * exception may come in a header or at the end of the body. With one of failure, the exception
 * tells whether the request is to blame. Pure. */
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

/* Settles the outcome and the text of ANSWER, which came with another status: HTTP_REFUSED and
 * HTTP_FAILED stay if a ClickHouse says so of the request, rather than of its own state. */
void answer_signs_judge_failure(const struct answer_signs *signs, struct http_answer *answer);

#endif
