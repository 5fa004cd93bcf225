#include "daemon/census/census_names.h"

#include <stdlib.h>
#include <string.h>

static struct census_name *place_of(struct census_names *names, pid_t pid)
{
    return &names->places[(unsigned)pid % CENSUS_NAMES];
}

void census_names_put(struct census_names *names, pid_t pid, const char *path)
{
    struct census_name *place = place_of(names, pid);

    free(place->path);
    *place = (struct census_name){ pid, strdup(path) };
}

char *census_names_take(struct census_names *names, pid_t pid)
{
    struct census_name *place = place_of(names, pid);

    if (place->pid != pid)
        return NULL;
    char *path = place->path;
    *place = (struct census_name){ 0 };
    return path;
}

void census_names_clear(struct census_names *names)
{
    for (size_t i = 0; i < CENSUS_NAMES; i++)
        free(names->places[i].path);
    *names = (struct census_names){ 0 };
}
