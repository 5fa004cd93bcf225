#include "profctl/merge/merge_pid.h"

#include <errno.h>
#include <stdlib.h>

bool merge_pid_parse(const char *text, int64_t *pid)
{
    char *end;

    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return false;
    *pid = number;
    return true;
}

bool merge_pid_read(struct json_reader *reader, int token, int64_t *pid)
{
    const char *text;
    size_t length;

    if (token == JSON_TOKEN_NUMBER)
        return json_reader_i64(reader, pid) == 0;
    return token == JSON_TOKEN_STRING && json_reader_string(reader, &text, &length) == 0 &&
           merge_pid_parse(text, pid);
}
