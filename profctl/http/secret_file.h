/* Passwords and tokens. They are stored in files, so that no list of processes shows them and they
 * can be replaced while they are in use. One thread. */
#ifndef PROFD_PROFCTL_SECRET_FILE_H
#define PROFD_PROFCTL_SECRET_FILE_H

#include <stdbool.h>

#include "profctl/failure.h"
#include "profctl/http/http_client.h"

enum { SECRET_BYTES = 4096, SECRET_HEADER_BYTES = SECRET_BYTES + 64 };

/* A request header that contains a secret. The texts are borrowed. */
struct secret_header {
    const char *path;               /* of the file; "": there is no secret */
    const char *what;               /* for messages, such as "the password" */
    const char *name;               /* what precedes the secret, such as "X-Key: " */
    char text[SECRET_HEADER_BYTES]; /* the whole header; "": none */
};

/* Reads the secret from the first line of the file. Returns false with FAILURE filled and the text
 * unchanged if the file cannot be read (common/short_file.h) or its line is too long. */
bool secret_header_read(struct secret_header *header, struct failure *failure);

/* Reads the file again if ANSWER says that the secret is wrong; if that fails, the reason becomes
 * the text of ANSWER. Returns whether the secret has changed. */
bool secret_header_renew(struct secret_header *header, struct http_answer *answer);

/* Erases the secret from memory. */
void secret_header_wipe(struct secret_header *header);

#endif
