#include "profctl/report/report_by.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = { NULL,
#define X(name, text) text,
                                     REPORT_BY_KINDS(X)
#undef X
};

enum { KINDS = sizeof(names) / sizeof(names[0]) };

enum report_by report_by_named(const char *name)
{
    for (int i = REPORT_BY_NOTHING + 1; i < KINDS; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum report_by)i;
    }
    return REPORT_BY_NOTHING;
}

const char *report_by_name(enum report_by by)
{
    return names[by];
}
