/* loads LIBRARY…: opens a library, calls its work(), closes it, and does so with the next, which is
 * copied to the path of the first: as a program does whose plugins are built anew while it runs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int replace(const char *path, const char *by)
{
    char command[1024];

    snprintf(command, sizeof(command), "cp '%s' '%s.new' && mv '%s.new' '%s'", by, path, path,
             path);
    return system(command);
}

static int work_in(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void *function = dlsym(library, "work");
    if (function == NULL)
        return 1;
    ((void (*)(void))function)();
    return dlclose(library);
}

int main(int count, char **arguments)
{
    int error = 0;

    for (int i = 1; i < count && error == 0; i++) {
        error = i > 1 ? replace(arguments[1], arguments[i]) : 0;
        error = error == 0 ? work_in(arguments[1]) : error;
    }
    return error;
}
