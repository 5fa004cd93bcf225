/* operators [local]: allocates as programs in C++ do, 20000 times with operator new and 20000 times
 * with the one for larger alignments, and deletes all but 100 of each. With "local" the C++ library
 * is opened as a plug-in's would be, out of sight of others. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 20000, KEPT_OF_EACH = 100, BYTES = 10000, ALIGNMENT = 256 };

static void *(*new_plain)(size_t bytes);
static void *(*new_aligned)(size_t bytes, size_t alignment);
static void (*delete_plain)(void *memory);
static void (*delete_aligned)(void *memory, size_t bytes, size_t alignment);

static void *find_operator(const char *name, void *library)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    return found != NULL ? found : dlsym(library, name);
}

int main(int argc, char **argv)
{
    int is_local = argc > 1 && strcmp(argv[1], "local") == 0;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | (is_local ? RTLD_LOCAL : RTLD_GLOBAL));
    if (library == NULL)
        return 1;
    new_plain = (void *(*)(size_t))find_operator("_Znwm", library);
    new_aligned = (void *(*)(size_t, size_t))find_operator("_ZnwmSt11align_val_t", library);
    delete_plain = (void (*)(void *))find_operator("_ZdlPv", library);
    delete_aligned =
        (void (*)(void *, size_t, size_t))find_operator("_ZdlPvmSt11align_val_t", library);
    for (int i = 0; i < CALLS; i++) {
        void *plain = new_plain(BYTES), *aligned = new_aligned(BYTES, ALIGNMENT);
        if ((uintptr_t)aligned % ALIGNMENT != 0)
            return 2;
        memset(plain, 1, BYTES);
        memset(aligned, 2, BYTES);
        if (i < KEPT_OF_EACH)
            continue;
        delete_plain(plain);
        delete_aligned(aligned, BYTES, ALIGNMENT);
    }
    puts("done");
    return 0;
}
