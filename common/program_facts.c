#include "common/program_facts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define AGENT_LIBRARY_NAME "libprofd.so"
#define PRELOAD_PREFIX     "LD_PRELOAD="

enum {
    HEAD_BYTES = 1024, /* holds the program headers of nearly all programs */
    MOST_PROGRAM_HEADERS = 128,
};

enum recording_obstacle program_obstacle(const struct program_facts *facts)
{
    if (facts->is_elf && facts->is_foreign)
        return OBSTACLE_FOREIGN;
    if (facts->is_elf && !facts->has_interpreter)
        return OBSTACLE_STATIC;
    if (facts->raises_privileges)
        return OBSTACLE_PRIVILEGED;
    if (facts->is_disabled)
        return OBSTACLE_DISABLED;
    if (facts->is_out_of_reach)
        return OBSTACLE_OUT_OF_REACH;
    if (!facts->has_preload)
        return OBSTACLE_ENVIRONMENT;
    if (facts->descriptor_limit < PROGRAM_LEAST_DESCRIPTORS)
        return OBSTACLE_NO_DESCRIPTOR;
    return OBSTACLE_NONE;
}

static bool is_own_machine(const Elf64_Ehdr *header)
{
#if defined(__x86_64__)
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64;
#elif defined(__aarch64__)
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_AARCH64;
#else
#error "name this machine"
#endif
}

/* Program headers beyond HEAD are read one by one. */
static bool has_interpreter(int fd, const char *head, size_t bytes, const Elf64_Ehdr *header)
{
    for (size_t i = 0; i < header->e_phnum && i < MOST_PROGRAM_HEADERS; i++) {
        Elf64_Phdr segment;
        uint64_t offset = header->e_phoff + i * sizeof(segment);

        if (offset <= bytes && bytes - offset >= sizeof(segment))
            memcpy(&segment, head + offset, sizeof(segment));
        else if (pread(fd, &segment, sizeof(segment), (off_t)offset) != (ssize_t)sizeof(segment))
            return false;
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static void look_at_elf(int fd, const char *head, size_t bytes, struct program_facts *facts)
{
    Elf64_Ehdr header;

    memcpy(&header, head, sizeof(header));
    facts->is_elf = true;
    facts->is_foreign = !is_own_machine(&header);
    facts->has_interpreter = !facts->is_foreign && has_interpreter(fd, head, bytes, &header);
}

/* The word behind "#!". */
static void copy_interpreter(const char *head, size_t bytes, char *interpreter, size_t size)
{
    size_t start = 2, length = 0;

    while (start < bytes && (head[start] == ' ' || head[start] == '\t'))
        start++;
    while (start + length < bytes && memchr(" \t\n", head[start + length], 4) == NULL)
        length++;
    if (length >= size)
        length = 0;
    memcpy(interpreter, head + start, length);
    interpreter[length] = '\0';
}

/* As the kernel sees it, which then tells the loader not to preload. Root gains nothing. */
static bool raises_privileges(int fd, const struct stat *status)
{
    bool is_setuid = (status->st_mode & S_ISUID) && status->st_uid != getuid();
    bool is_setgid =
        (status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) && status->st_gid != getgid();

    return is_setuid || is_setgid ||
           (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

int program_look(int fd, struct program_facts *facts, char *interpreter, size_t size)
{
    struct stat status;
    char head[HEAD_BYTES];

    interpreter[0] = '\0';
    if (fstat(fd, &status) < 0)
        return -errno;
    ssize_t got = S_ISREG(status.st_mode) ? pread(fd, head, sizeof(head), 0) : 0;
    if (got < 0)
        return -errno;
    if (got >= 3 && memcmp(head, "#!", 2) == 0) {
        copy_interpreter(head, (size_t)got, interpreter, size);
        return 0;
    }
    if ((size_t)got < sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0)
        return -ENOEXEC;
    look_at_elf(fd, head, (size_t)got, facts);
    facts->raises_privileges = raises_privileges(fd, &status);
    return 0;
}

int program_open(int directory_fd, const char *path, struct program_facts *facts)
{
    char interpreter[256], before[256];

    for (int i = 0; i <= PROGRAM_MAX_SCRIPTS; i++) {
        /* Not a FIFO that would wait for its writer. */
        int fd = openat(directory_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return -errno;
        int error = program_look(fd, facts, interpreter, sizeof(interpreter));
        if (error == 0 && interpreter[0] == '\0')
            return fd;
        close(fd);
        if (error < 0)
            return error;
        memcpy(before, interpreter, sizeof(before));
        path = before;
    }
    return -ELOOP;
}

int program_look_at(int directory_fd, const char *path, struct program_facts *facts)
{
    if (faccessat(directory_fd, path, X_OK, AT_EACCESS) < 0)
        return -errno;
    int fd = program_open(directory_fd, path, facts);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

/* FOLDER (LENGTH bytes, none: the working directory) and NAME as a path. */
static int join(const char *folder, size_t length, const char *name, char *out, size_t size)
{
    size_t name_bytes = strlen(name) + 1;

    if (length + 1 + name_bytes > size)
        return -ENAMETOOLONG;
    memcpy(out, folder, length);
    if (length > 0)
        out[length++] = '/';
    memcpy(out + length, name, name_bytes);
    return 0;
}

static bool can_run(int directory_fd, const char *path)
{
    struct stat status;

    return fstatat(directory_fd, path, &status, 0) == 0 && S_ISREG(status.st_mode) &&
           faccessat(directory_fd, path, X_OK, AT_EACCESS) == 0;
}

int program_find(int directory_fd, const char *name, const char *search_path, char *out,
                 size_t size)
{
    static const char usual_path[] = "/bin:/usr/bin"; /* of execvp */

    if (strchr(name, '/') != NULL)
        return join("", 0, name, out, size);
    if (name[0] == '\0')
        return -ENOENT;
    const char *folder = search_path != NULL ? search_path : usual_path;
    for (;;) {
        size_t length = strcspn(folder, ":");
        if (join(folder, length, name, out, size) == 0 && can_run(directory_fd, out))
            return 0;
        if (folder[length] == '\0')
            return -ENOENT;
        folder += length + 1;
    }
}

void program_look_variable(const char *variable, struct program_facts *facts)
{
    if (strncmp(variable, PRELOAD_PREFIX, sizeof(PRELOAD_PREFIX) - 1) == 0)
        facts->has_preload |= strstr(variable, AGENT_LIBRARY_NAME) != NULL;
    else if (strcmp(variable, "PROFD_DISABLE=1") == 0)
        facts->is_disabled = true;
}
