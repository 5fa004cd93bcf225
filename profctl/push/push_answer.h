/* What servers say of a request for which HTTP alone says that it was taken. Pure. */
#ifndef PROFD_PROFCTL_PUSH_ANSWER_H
#define PROFD_PROFCTL_PUSH_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "common/push_url.h"
#include "profctl/http/http_client.h"

/* Parca's, as gRPC-Web has it: a header "grpc-status", or one behind the messages of BODY. STATUS:
 * that of the header, negative: there was none. Settles the outcome, status and text of ANSWER. */
void push_answer_of_grpc(const char *body, size_t length, long status, struct http_answer *answer);

/* What OTLP/HTTP says that an answer with that status of HTTP, which is no success, means: all is
 * final but what is named as to be tried again. Redirects and the like are not of it. */
enum http_outcome push_answer_otlp_outcome(long status);

/* Settles the outcome and text of ANSWER, which came from SERVER with a status of success: a body
 * that is none of KIND, Pyroscope or OTLP, is of whatever stands in for the server. TYPE is that of
 * the body as its header has it; "": there was none. Of LENGTH bytes, BODY may be the beginning. */
void push_answer_judge(enum push_kind kind, const char *server, const char *type, const char *body,
                       size_t length, struct http_answer *answer);

/* OTLP's: how many profiles of a batch that it took the server dropped, with what it says about
 * that in TEXT, which without any is a warning; "": nothing. -EPROTO: the answer cannot be read. */
int64_t push_answer_dropped(const char *body, size_t length, char text[HTTP_TEXT_BYTES]);

#endif
