#include "common/program_facts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/preload_list.h"

#define AGENT_LIBRARY_NAME "libprofd.so"
#define ASAN_PREFIX        "ASAN_OPTIONS="

/* On the stack of who runs a program, which may be small. */
enum {
    HEAD_BYTES = 1024,                              /* holds the segments of nearly all programs */
    MAX_SEGMENTS = HEAD_BYTES / sizeof(Elf64_Phdr), /* those that say something come first */
};

/* How a file begins. */
struct file_head {
    size_t count; /* of bytes */
    union {
        Elf64_Ehdr elf;
        char bytes[HEAD_BYTES];
    };
};

bool program_refuses_agent(const struct program_facts *facts)
{
    return facts->sanitizer == SANITIZER_THREAD ||
           (facts->sanitizer == SANITIZER_ADDRESS && !facts->lets_agent_come_first);
}

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
    if (program_refuses_agent(facts))
        return OBSTACLE_SANITIZER;
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

/* Where in HEAD the segments are; those that are not in it are read into it. Returns how many came.
 */
static unsigned read_segments(int fd, struct file_head *head, const Elf64_Phdr **segments)
{
    const Elf64_Ehdr header = head->elf;
    size_t count = header.e_phnum < MAX_SEGMENTS ? header.e_phnum : MAX_SEGMENTS;
    size_t wanted = count * sizeof(**segments);
    size_t start = header.e_phoff;

    if (start > head->count || head->count - start < wanted || start % _Alignof(Elf64_Phdr) != 0) {
        ssize_t got = pread(fd, head->bytes, wanted, (off_t)header.e_phoff);
        count = got > 0 ? (size_t)got / sizeof(**segments) : 0;
        start = 0;
    }
    *segments = (const Elf64_Phdr *)(const void *)(head->bytes + start);
    return (unsigned)count;
}

static bool has_interpreter(const Elf64_Phdr *segments, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (segments[i].p_type == PT_INTERP)
            return true;
    return false;
}

/* Overwrites HEAD. */
static void look_at_elf(int fd, struct file_head *head, struct program_facts *facts)
{
    const Elf64_Phdr *segments;

    facts->is_elf = true;
    facts->is_foreign = !is_own_machine(&head->elf);
    if (facts->is_foreign)
        return;
    unsigned count = read_segments(fd, head, &segments);
    facts->has_interpreter = has_interpreter(segments, count);
    facts->sanitizer = program_sanitizer_of(fd, segments, count);
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

/* As the kernel sees it, which then tells the loader not to preload: also where a process that has
 * changed its effective user or group alone runs any program. Root gains nothing. */
static bool raises_privileges(int fd, const struct stat *status)
{
    bool sets_user = status->st_mode & S_ISUID;
    bool sets_group = (status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP);
    uid_t user = sets_user ? status->st_uid : geteuid();
    gid_t group = sets_group ? status->st_gid : getegid();

    return user != getuid() || group != getgid() ||
           (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

int program_look(int fd, struct program_facts *facts, char *interpreter, size_t size)
{
    struct stat status;
    struct file_head head;

    interpreter[0] = '\0';
    if (fstat(fd, &status) < 0)
        return -errno;
    ssize_t got = S_ISREG(status.st_mode) ? pread(fd, head.bytes, HEAD_BYTES, 0) : 0;
    if (got < 0)
        return -errno;
    head.count = (size_t)got;
    if (got >= 3 && memcmp(head.bytes, "#!", 2) == 0) {
        copy_interpreter(head.bytes, head.count, interpreter, size);
        return 0;
    }
    if (head.count < sizeof(head.elf) || memcmp(head.bytes, ELFMAG, SELFMAG) != 0)
        return -ENOEXEC;
    look_at_elf(fd, &head, facts);
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
static int join_path(const char *folder, size_t length, const char *name, char *out, size_t size)
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
        return join_path("", 0, name, out, size);
    if (name[0] == '\0')
        return -ENOENT;
    const char *folder = search_path != NULL ? search_path : usual_path;
    for (;;) {
        size_t length = strcspn(folder, ":");
        if (join_path(folder, length, name, out, size) == 0 && can_run(directory_fd, out))
            return 0;
        if (folder[length] == '\0')
            return -ENOENT;
        folder += length + 1;
    }
}

void program_look_variable(const char *variable, struct program_facts *facts)
{
    if (strncmp(variable, PRELOAD_PREFIX, PRELOAD_PREFIX_BYTES) == 0)
        facts->has_preload |= strstr(variable, AGENT_LIBRARY_NAME) != NULL;
    else if (strncmp(variable, ASAN_PREFIX, sizeof(ASAN_PREFIX) - 1) == 0)
        facts->lets_agent_come_first = strstr(variable, "verify_asan_link_order=0") != NULL;
    else if (strcmp(variable, "PROFD_DISABLE=1") == 0)
        facts->is_disabled = true;
}
