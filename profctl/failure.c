#include "profctl/failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "ipc/messages.h"
#include "profctl/printable.h"

/* The longest text of profd's, and what is said around it. */
enum { LINE_BYTES = MESSAGE_MAX_TEXT + 512 };

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
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "profctl: %s\n", make_printable(line));
}
