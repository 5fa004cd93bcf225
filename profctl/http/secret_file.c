#include "profctl/http/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool secret_file_read(const char *path, const char *what, char secret[SECRET_BYTES],
                      struct failure *failure)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, secret, SECRET_BYTES - 1) : -1;

    if (length < 0)
        failure_set(failure, EXIT_CODE_FAILED, "cannot read %s in %s: %s", what, path,
                    strerror(errno));
    if (fd >= 0)
        close(fd);
    if (length < 0)
        return false;
    secret[length] = '\0';
    secret[strcspn(secret, "\r\n")] = '\0';
    return true;
}
