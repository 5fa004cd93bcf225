#include "profctl/failure.h"

#include <stdarg.h>
#include <stdio.h>

enum exit_code failure_set(struct failure *failure, enum exit_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure->text, sizeof(failure->text), format, arguments);
    va_end(arguments);
    failure->code = code;
    return code;
}

void say(const char *format, ...)
{
    va_list arguments;

    flockfile(stderr);
    fputs("profctl: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}
