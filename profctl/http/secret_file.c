#include "profctl/http/secret_file.h"

#include <stdio.h>
#include <string.h>

#include "common/short_file.h"

enum { UNAUTHORIZED = 401, FORBIDDEN = 403 };

static bool read_secret(const struct secret_header *header, char secret[SECRET_BYTES + 1],
                        struct failure *failure)
{
    const char *why;
    size_t length;

    if (!short_file_read(header->path, secret, SECRET_BYTES, &length, &why)) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot read %s in %s: %s", header->what,
                    header->path, why);
        return false;
    }
    secret[length] = '\0';
    secret[strcspn(secret, "\r\n")] = '\0';
    if (strlen(secret) < SECRET_BYTES)
        return true;
    failure_set(failure, EXIT_CODE_FAILED, "%s in %s has more than %d bytes", header->what,
                header->path, SECRET_BYTES - 1);
    return false;
}

bool secret_header_read(struct secret_header *header, struct failure *failure)
{
    char secret[SECRET_BYTES + 1] = "";

    if (header->path[0] == '\0')
        return true;
    bool is_read = read_secret(header, secret, failure);
    if (is_read)
        snprintf(header->text, sizeof(header->text), "%s%s", secret[0] != '\0' ? header->name : "",
                 secret);
    explicit_bzero(secret, sizeof(secret));
    return is_read;
}

bool secret_header_renew(struct secret_header *header, struct http_answer *answer)
{
    struct secret_header now = { header->path, header->what, header->name, "" };
    struct failure failure;

    if (answer->status != UNAUTHORIZED && answer->status != FORBIDDEN)
        return false;
    bool is_read = secret_header_read(&now, &failure);
    bool is_another = is_read && strcmp(now.text, header->text) != 0;
    if (!is_read)
        snprintf(answer->text, sizeof(answer->text), "%.*s", HTTP_TEXT_BYTES - 1, failure.text);
    if (is_another)
        memcpy(header->text, now.text, sizeof(now.text));
    secret_header_wipe(&now);
    return is_another;
}

void secret_header_wipe(struct secret_header *header)
{
    explicit_bzero(header->text, sizeof(header->text));
}
