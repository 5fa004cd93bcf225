#include "profctl/symbols/symbol_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profctl/symbols/debug_files.h"

enum { MAX_BUILD_ID_BYTES = 64 };

/* No dwfl_linux_proc_find_elf: the module is always opened by us. debuginfo_path is the default. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* The library is in the file at its own addresses: base 0 and the program headers' places. */
static Dwfl_Module *report_path(Dwfl *session, const char *path, int fd)
{
    return dwfl_report_elf(session, "", path, fd, 0, true);
}

/* The kernel gives every process the same one, so ours will do. */
static Dwfl_Module *report_vdso(Dwfl *session)
{
    char *image = (char *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)image;

    if (image == NULL)
        return NULL;
    return dwfl_report_offline_memory(session, "", "[vdso]", image,
                                      header->e_shoff +
                                          (size_t)header->e_shnum * header->e_shentsize);
}

static bool has_build_id(Elf *elf, const char *wanted)
{
    char found[MAX_BUILD_ID_BYTES * 2 + 1];
    const void *bytes;
    ssize_t count;

    if (wanted[0] == '\0')
        return true;
    count = dwelf_elf_gnu_build_id(elf, &bytes);
    if (count <= 0 || count > MAX_BUILD_ID_BYTES)
        return false;
    for (ssize_t i = 0; i < count; i++)
        snprintf(found + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    return strcasecmp(found, wanted) == 0;
}

/* FD is taken over; -1 for the vdso. */
static int open_session(const char *path, int fd, const char *build_id, struct symbol_file *out)
{
    struct symbol_file file = { .session = dwfl_begin(&callbacks) };
    int error = -ENOMEM;

    if (file.session == NULL) {
        if (fd >= 0)
            close(fd);
        return -ENOMEM;
    }
    dwfl_report_begin(file.session);
    file.module = fd >= 0 ? report_path(file.session, path, fd) : report_vdso(file.session);
    if (file.module == NULL && fd >= 0)
        close(fd);
    dwfl_report_end(file.session, NULL, NULL);
    file.elf = file.module != NULL ? dwfl_module_getelf(file.module, &file.elf_bias) : NULL;
    error = file.elf == NULL ? -ENOEXEC : has_build_id(file.elf, build_id) ? 0 : -ESTALE;
    if (error < 0)
        symbol_file_close(&file);
    else
        *out = file;
    return error;
}

/* Opening a device or a fifo could wait or do something, so those are refused before. */
static int open_regular(const char *path)
{
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    bool regular;

    if (fd < 0)
        return -errno;
    regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    close(fd);
    if (!regular)
        return -ENOENT;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int try_path(const char *path, const char *build_id, struct symbol_file *out)
{
    int fd = open_regular(path);

    if (fd < 0)
        return fd == -ENOMEM ? -ENOMEM : -ENOENT;
    return open_session(path, fd, build_id, out);
}

/* Whether the process that is called PID now has the file at PATH in memory. Its path there may
 * begin with that of its root. */
static bool process_maps(int64_t pid, const char *path)
{
    char maps[64], *line = NULL;
    size_t capacity = 0, wanted = strlen(path);
    ssize_t length;
    bool is_there = false;

    snprintf(maps, sizeof(maps), "/proc/%" PRId64 "/maps", pid);
    FILE *file = fopen(maps, "re");
    if (file == NULL)
        return false;
    while (!is_there && (length = getline(&line, &capacity, file)) > 0) {
        size_t end = (size_t)length - (line[length - 1] == '\n');
        is_there = end >= wanted && memcmp(line + end - wanted, path, wanted) == 0;
    }
    free(line);
    fclose(file);
    return is_there;
}

/* As the process sees PATH. Without a build id, any file there would do, and the id of the process
 * may be that of another one by now. */
static int try_root(const char *path, const char *build_id, int64_t pid, struct symbol_file *out)
{
    char in_root[4096 + 64];

    if (pid <= 0 || strlen(path) >= 4096 || (build_id[0] == '\0' && !process_maps(pid, path)))
        return -ENOENT;
    snprintf(in_root, sizeof(in_root), "/proc/%" PRId64 "/root%s", pid, path);
    return try_path(in_root, build_id, out);
}

/* What has the functions and lines of a library whose file is gone, but none of its code. */
static int try_debug_file(const char *build_id, struct symbol_file *out)
{
    int fd = debug_file_open(build_id);

    return fd < 0 ? fd : open_session("", fd, build_id, out);
}

int symbol_file_open_itself(const char *path, const char *build_id, int64_t pid,
                            struct symbol_file *out)
{
    if (strcmp(path, "[vdso]") == 0)
        return open_session(path, -1, build_id, out);
    if (path[0] != '/')
        return -ENOENT;
    int error = try_root(path, build_id, pid, out);
    if (error == 0 || error == -ENOMEM)
        return error;
    int second = try_path(path, build_id, out);
    return second == -ENOENT ? error : second;
}

int symbol_file_open(const char *path, const char *build_id, int64_t pid, struct symbol_file *out)
{
    int error = symbol_file_open_itself(path, build_id, pid, out);

    if (error == 0 || error == -ENOMEM)
        return error;
    return try_debug_file(build_id, out) == 0 ? 0 : error;
}

void symbol_file_close(struct symbol_file *file)
{
    if (file->session != NULL)
        dwfl_end(file->session);
    *file = (struct symbol_file){ 0 };
}
