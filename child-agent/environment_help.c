#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/environment.h"
#include "ipc/messages.h"

enum { HELP_BYTES = 8192 };

static const char introduction[] =
    "profd " PROFD_VERSION " profiles this process. Environment variables that it reads:\n\n";

struct text {
    char bytes[HELP_BYTES];
    size_t length;
};

static void add_line(struct text *text, const char *format, const char *first, const char *second)
    __attribute__((format(printf, 2, 0)));

static void add_line(struct text *text, const char *format, const char *first, const char *second)
{
    size_t room = sizeof(text->bytes) - text->length;
    int length = snprintf(text->bytes + text->length, room, format, first, second);
    if (length > 0)
        text->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_features(struct text *text)
{
#define X(name, bit, word, help)                                                                   \
    add_line(text, "%36s%-20s", "", word), add_line(text, "%s%s\n", help, "");
    FEATURES(X)
#undef X
}

static void add_variable(struct text *text, const char *name, const char *value, const char *help)
{
    char column[64];
    snprintf(column, sizeof(column), "%s=%s", name, value);
    add_line(text, "  %-33s %s\n", column, help);
    if (strcmp(name, "PROFD_STARTUP_FEATURES") == 0)
        add_features(text);
}

void environment_print_help(int fd)
{
    struct text text = { .length = 0 };
    add_line(&text, "%s%s", introduction, "");
#define X(name, value, help) add_variable(&text, name, value, help);
    ENVIRONMENT_VARIABLES(X)
#undef X
    ssize_t written = write(fd, text.bytes, text.length);
    (void)written; /* whoever asked for help and closed its output has seen enough */
}
