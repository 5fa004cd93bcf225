#include "common/path_join.h"

#include <errno.h>
#include <string.h>

int path_join(char *out, size_t room, const char *first, const char *second)
{
    size_t first_length = strlen(first), second_length = strlen(second);

    if (first_length + second_length >= room) {
        out[0] = '\0';
        return -ENAMETOOLONG;
    }
    memcpy(out, first, first_length);
    memcpy(out + first_length, second, second_length + 1);
    return 0;
}
