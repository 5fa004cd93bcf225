/* Passwords and tokens, which stand in files, so that no list of processes shows them, and so that
 * they can be replaced while they are in use. One thread. */
#ifndef PROFD_PROFCTL_SECRET_FILE_H
#define PROFD_PROFCTL_SECRET_FILE_H

#include <stdbool.h>

#include "profctl/failure.h"
#include "profctl/http/http_client.h"

enum { SECRET_BYTES = 4096, SECRET_HEADER_BYTES = SECRET_BYTES + 64 };

/* A header of requests that has a secret. The texts are borrowed. */
struct secret_header {
    const char *path;               /* of the file; "": there is no secret */
    const char *what;               /* as people are told of it: "the password" */
    const char *name;               /* what stands before it: "X-Key: " */
    char text[SECRET_HEADER_BYTES]; /* all of it; "": none */
};

/* The first line of the file becomes the secret. False with FAILURE filled, and the text as it was:
 * the file cannot be read (common/short_file.h), or its line is too long. */
bool secret_header_read(struct secret_header *header, struct failure *failure);

/* After ANSWER, reads the file again where that says that the secret is not the right one; what
 * keeps it from that becomes the answer's text. Whether the secret is another one by now. */
bool secret_header_renew(struct secret_header *header, struct http_answer *answer);

/* Leaves nothing of the secret in memory. */
void secret_header_wipe(struct secret_header *header);

#endif
