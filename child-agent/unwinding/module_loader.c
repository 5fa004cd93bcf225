#include "child-agent/unwinding/module_loader.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer/hash_bytes.h"
#include "child-agent/core.h"
#include "child-agent/guest/process_memory.h"

enum {
    MAX_PATH_BYTES = 4096,
    MAX_LIBRARIES = 4096, /* a list that is longer was caught while it changed */
    MAX_SEGMENTS = 64,
    PAGE_BYTES = 4096,
    MAX_HASHED_NOTES_BYTES = 256, /* of each segment of notes */
};

/* An entry of the loader's list, as far as the list is public. */
struct loaded {
    uint64_t bias;
    uint64_t name; /* its address */
    uint64_t dynamic_section;
    uint64_t next;
};

_Static_assert(sizeof(struct loaded) == offsetof(struct link_map, l_prev), "as in link.h");

/* Where the next path goes; NULL without room: growing would move the paths before. */
static char *path_room(struct mapping_list *list)
{
    return list->text_capacity - list->text_bytes < MAX_PATH_BYTES ? NULL
                                                                   : list->text + list->text_bytes;
}

/* The main program's file. What was given to exec may have been a script, so the kernel is asked
 * first; there may be no /proc. */
static size_t write_program_path(char *path)
{
    ssize_t length = readlink("/proc/thread-self/exe", path, MAX_PATH_BYTES);
    if (length > 0)
        return (size_t)length;
    size_t bytes = strnlen(core_executable(), MAX_PATH_BYTES);
    memcpy(path, core_executable(), bytes);
    return bytes;
}

/* Copies the string at ADDRESS, page by page: what is behind its last page may not be mapped. */
static int copy_path(uint64_t address, char *path, size_t *bytes)
{
    *bytes = 0;
    while (*bytes < MAX_PATH_BYTES) {
        uint64_t from = address + *bytes;
        size_t count = (size_t)(PAGE_BYTES - (from & (PAGE_BYTES - 1)));
        if (count > MAX_PATH_BYTES - *bytes)
            count = MAX_PATH_BYTES - *bytes;
        int error = process_memory_read(from, path + *bytes, count);
        if (error != 0)
            return error;
        const char *end = memchr(path + *bytes, '\0', count);
        if (end != NULL) {
            *bytes = (size_t)(end - path);
            return 0;
        }
        *bytes += count;
    }
    return -ENAMETOOLONG;
}

static int add_executable_segments(struct mapping_list *list, const Elf64_Phdr *segments,
                                   size_t count, uint64_t bias)
{
    int error = 0;
    for (size_t i = 0; error == 0 && i < count; i++) {
        uint64_t start = bias + segments[i].p_vaddr;
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X))
            error = mapping_list_add_executable(list, start, start + segments[i].p_memsz);
    }
    return error;
}

/* The first notes of a library have its build id. What cannot be read is as if it were not there.
 */
static uint64_t hash_notes(uint64_t hash, const Elf64_Phdr *segments, size_t count, uint64_t bias)
{
    char notes[MAX_HASHED_NOTES_BYTES];
    for (size_t i = 0; i < count; i++) {
        size_t bytes = segments[i].p_filesz < sizeof(notes) ? segments[i].p_filesz : sizeof(notes);
        if (segments[i].p_type == PT_NOTE &&
            process_memory_read(bias + segments[i].p_vaddr, notes, bytes) == 0)
            hash = hash_mix(hash, hash_bytes(notes, bytes));
    }
    return hash;
}

/* Tells one build of a library from another that the program loads in its place. */
static uint64_t hash_contents(const Elf64_Ehdr *header, const Elf64_Phdr *segments, uint64_t bias)
{
    size_t segment_bytes = header->e_phnum * sizeof(segments[0]);
    uint64_t hash = hash_mix(hash_bytes((const char *)header, sizeof(*header)),
                             hash_bytes((const char *)segments, segment_bytes));
    return hash_notes(hash, segments, header->e_phnum, bias);
}

/* Puts the library whose ELF header is at HEADER_ADDRESS on the list, under the path that was
 * written into path_room(). */
static int add_library(struct mapping_list *list, uint64_t header_address, uint64_t bias,
                       size_t path_bytes)
{
    Elf64_Phdr segments[MAX_SEGMENTS];
    Elf64_Ehdr header;
    int error = process_memory_read(header_address, &header, sizeof(header));
    if (error != 0)
        return error;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > MAX_SEGMENTS)
        return 0; /* no library that anybody could unwind */
    error = process_memory_read(header_address + header.e_phoff, segments,
                                header.e_phnum * sizeof(segments[0]));
    if (error != 0)
        return error;
    struct mapped_image image = { .header_address = header_address,
                                  .has_code = true,
                                  .path = list->text + list->text_bytes,
                                  .path_bytes = path_bytes,
                                  .contents = hash_contents(&header, segments, bias) };
    list->text_bytes += path_bytes;
    error = mapping_list_add_image(list, &image);
    return error != 0 ? error : add_executable_segments(list, segments, header.e_phnum, bias);
}

/* Since glibc 2.35. Takes no lock, and may be called in signal handlers. */
extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

bool module_loader_has(uint64_t address)
{
    struct dl_find_object found;
    return _dl_find_object != NULL && _dl_find_object((void *)(uintptr_t)address, &found) == 0;
}

static bool is_header(uint64_t address)
{
    char magic[SELFMAG];
    return process_memory_read(address, magic, sizeof(magic)) == 0 &&
           memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Where the ELF header of LOADED is. The loader tells the start of the one segment only where there
 * are gaps between them, as in programs that are linked for large pages; the bias tells it only of
 * those whose addresses begin at 0, as nearly all libraries' do. */
static uint64_t header_address_of(const struct loaded *loaded, bool is_program)
{
    struct dl_find_object found;
    if (_dl_find_object != NULL &&
        _dl_find_object((void *)(uintptr_t)loaded->dynamic_section, &found) == 0 &&
        is_header((uint64_t)(uintptr_t)found.dlfo_map_start))
        return (uint64_t)(uintptr_t)found.dlfo_map_start;
    return is_program ? getauxval(AT_PHDR) & ~(uint64_t)(PAGE_BYTES - 1) : loaded->bias;
}

static int add_vdso(struct mapping_list *list)
{
    static const char name[] = "[vdso]";
    uint64_t address = getauxval(AT_SYSINFO_EHDR);
    char *path = path_room(list);
    if (address == 0 || path == NULL)
        return 0;
    memcpy(path, name, sizeof(name));
    return add_library(list, address, address, sizeof(name) - 1);
}

/* A library has the name that dlopen() was given. A relative one is taken for one in the folder
 * that the program is in by now: as a rule it still is in that of then. */
static void make_absolute(char *path, size_t *bytes)
{
    char folder[MAX_PATH_BYTES];
    if (path[0] == '/')
        return;
    long length = syscall(SYS_getcwd, folder, sizeof(folder)); /* with the zero at its end */
    const char *relative = *bytes > 2 && memcmp(path, "./", 2) == 0 ? path + 2 : path;
    size_t relative_bytes = *bytes - (size_t)(relative - path);
    if (length <= 0 || folder[0] != '/' || (size_t)length + relative_bytes > MAX_PATH_BYTES)
        return;
    folder[length - 1] = '/';
    memmove(path + length, relative, relative_bytes);
    memcpy(path, folder, (size_t)length);
    *bytes = (size_t)length + relative_bytes;
}

/* The first entry is the program; the vdso's has a name that is no path. */
static int add_loaded(struct mapping_list *list, const struct loaded *loaded, bool is_program)
{
    char *path = path_room(list);
    size_t bytes;
    if (path == NULL)
        return -ENOMEM;
    if (is_program)
        bytes = write_program_path(path);
    else if (copy_path(loaded->name, path, &bytes) != 0 || bytes == 0 ||
             loaded->bias == getauxval(AT_SYSINFO_EHDR))
        return 0;
    make_absolute(path, &bytes);
    int error = add_library(list, header_address_of(loaded, is_program), loaded->bias, bytes);
    return error == -ENOMEM ? error
                            : 0; /* the others are not to suffer from one that cannot be read */
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

static int walk_list(struct mapping_list *list)
{
    struct loaded loaded;
    uint64_t address = (uint64_t)(uintptr_t)_r_debug.r_map;
    size_t count = 0;
    int error = add_vdso(list);
    for (; error == 0 && address != 0; address = loaded.next) {
        if (count == MAX_LIBRARIES)
            return -EAGAIN;
        error = process_memory_read(address, &loaded, sizeof(loaded));
        if (error == -EPERM && count > 0)
            return 0; /* those that came later are out of reach */
        if (error == 0)
            error = add_loaded(list, &loaded, count == 0);
        count++;
    }
    return error;
}

int module_loader_read(struct mapping_list *list)
{
    if (list->text_capacity == 0) {
        int error = mapping_list_grow_text(list);
        if (error != 0)
            return error;
    }
    list->text_bytes = list->image_count = list->executable_count = 0;
    if (_r_debug.r_state != RT_CONSISTENT)
        return -EAGAIN;
    int error = walk_list(list);
    if (error == 0 && _r_debug.r_state != RT_CONSISTENT)
        error = -EAGAIN;
    sort_images(list);
    sort_executable(list);
    return error;
}
