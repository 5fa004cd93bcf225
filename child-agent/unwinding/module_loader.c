#include "child-agent/unwinding/module_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "child-agent/core.h"

enum { MAX_PATH_BYTES = 4096 };

struct loader_walk {
    struct mapping_list *list;
    int error;
};

static bool is_script(const char *path)
{
    char start[2] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, start, sizeof start);
    close(fd);
    return got == (ssize_t)sizeof start && start[0] == '#' && start[1] == '!';
}

/* The main program's file. What was given to exec may have been a script: then the kernel knows. */
static const char *program_path(void)
{
    static char path[MAX_PATH_BYTES];
    if (path[0] != '\0')
        return path;
    const char *given = core_executable();
    size_t bytes = strnlen(given, sizeof path - 1);
    if (bytes == 0 || is_script(given)) {
        ssize_t length = readlink("/proc/thread-self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        return path;
    }
    memcpy(path, given, bytes);
    path[bytes] = '\0';
    return path;
}

static uint64_t header_address_of(const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_offset == 0)
            return info->dlpi_addr + segment->p_vaddr;
    }
    return 0;
}

static int add_executable_segments(struct mapping_list *list, const struct dl_phdr_info *info)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
            rc = mapping_list_add_executable(list, start, start + segment->p_memsz);
    }
    return rc;
}

static const char *path_of(const struct dl_phdr_info *info, uint64_t header_address)
{
    if (header_address == getauxval(AT_SYSINFO_EHDR))
        return "[vdso]";
    return info->dlpi_name[0] == '\0' ? program_path() : info->dlpi_name;
}

/* Copies the path: its owner may unload the library as soon as the loader's lock is free. */
static int add_loaded_image(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct loader_walk *walk = context;
    struct mapping_list *list = walk->list;
    uint64_t header_address = header_address_of(info);
    if (header_address == 0)
        return 0;
    const char *path = path_of(info, header_address);
    size_t bytes = strlen(path);
    if (list->text_capacity - list->text_bytes < bytes) {
        walk->error = -ENOMEM; /* growing would move the paths before */
        return 1;
    }
    memcpy(list->text + list->text_bytes, path, bytes);
    struct mapped_image image = {
        header_address, 0, 0, true, list->text + list->text_bytes, bytes
    };
    list->text_bytes += bytes;
    walk->error = mapping_list_add_image(list, &image);
    if (walk->error == 0)
        walk->error = add_executable_segments(list, info);
    return walk->error != 0;
}

static void sort_executable(struct mapping_list *list)
{
    for (size_t i = 1; i < list->executable_count; i++) {
        struct address_range range = list->executable[i];
        size_t j = i;
        for (; j > 0 && list->executable[j - 1].start > range.start; j--)
            list->executable[j] = list->executable[j - 1];
        list->executable[j] = range;
    }
}

static void sort_images(struct mapping_list *list)
{
    for (size_t i = 1; i < list->image_count; i++) {
        struct mapped_image image = list->images[i];
        size_t j = i;
        for (; j > 0 && list->images[j - 1].header_address > image.header_address; j--)
            list->images[j] = list->images[j - 1];
        list->images[j] = image;
    }
}

int module_loader_read(struct mapping_list *list)
{
    struct loader_walk walk = { list, 0 };
    if (list->text_capacity == 0) {
        int rc = mapping_list_grow_text(list);
        if (rc != 0)
            return rc;
    }
    list->text_bytes = list->image_count = list->executable_count = 0;
    dl_iterate_phdr(add_loaded_image, &walk);
    sort_images(list);
    sort_executable(list);
    return walk.error;
}
