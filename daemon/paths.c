#include "daemon/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_facts_made.h"

#define IN_LIBRARIES "/" PROFD_LIBRARIES "/"

static int join_path(char out[PATH_MAX], int prefix_length, const char *prefix, const char *rest)
{
    int length = snprintf(out, PATH_MAX, "%.*s%s", prefix_length, prefix, rest);
    return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int install_paths_from(const char *program, struct install_paths *out)
{
    const char *name = strrchr(program, '/');
    const char *folder = name ? memrchr(program, '/', (size_t)(name - program)) : NULL;

    if (folder == NULL)
        return -EINVAL;
    int prefix_length = (int)(folder - program);
    int error = join_path(out->library, prefix_length, program, IN_LIBRARIES PROFD_SONAME);
    if (error == 0)
        error = join_path(out->malloc_hooks, prefix_length, program,
                          IN_LIBRARIES "profd/libprofd-malloc.so");
    if (error == 0)
        error = join_path(out->salvage, prefix_length, program, "/libexec/profd-salvage");
    if (error == 0)
        error = join_path(out->keeper, prefix_length, program, "/libexec/profd-keeper");
    if (error == 0)
        error = join_path(out->profctl, prefix_length, program, "/bin/profctl");
    return error;
}

int install_paths_find(struct install_paths *out)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program));

    if (length < 0)
        return -errno;
    if ((size_t)length == sizeof(program))
        return -ENAMETOOLONG;
    program[length] = '\0';
    return install_paths_from(program, out);
}

int install_paths_check(const struct install_paths *paths, const char **missing)
{
    const struct {
        const char *path;
        int use;
    } needs[] = {
        { paths->library, R_OK },
        { paths->malloc_hooks, R_OK },
        { paths->salvage, X_OK },
        { paths->keeper, X_OK },
    };

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        *missing = needs[i].path;
        if (access(*missing, needs[i].use) < 0)
            return -errno;
    }
    *missing = NULL;
    return 0;
}
