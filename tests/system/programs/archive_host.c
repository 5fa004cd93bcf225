/* archive_host [forever] LIBRARY…: loads each library, calls its plugin_tells() and unloads it
 * again, three times; with "forever" it goes on until its standard input ends. Is not linked with
 * profd. */
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int call_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    void (*plugin_tells)(void);
    *(void **)&plugin_tells = dlsym(library, "plugin_tells");
    plugin_tells();
    return dlclose(library);
}

int main(int argc, char **argv)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };
    bool is_forever = argc > 1 && strcmp(argv[1], "forever") == 0;
    for (int round = 0; round < 3 || (is_forever && poll(&input, 1, 0) == 0); round++)
        for (int i = is_forever ? 2 : 1; i < argc; i++)
            if (call_plugin(argv[i]) < 0)
                return 1;
    return 0;
}
