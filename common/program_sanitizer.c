#include "common/program_sanitizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ENTRIES = 48, NAME_BYTES = 64 };

enum program_sanitizer program_sanitizer_called(const char *library)
{
    static const struct {
        const char *name;
        enum program_sanitizer sanitizer;
    } runtimes[] = {
        { "libasan.so", SANITIZER_ADDRESS },      { "libclang_rt.asan", SANITIZER_ADDRESS },
        { "libhwasan.so", SANITIZER_THREAD },     { "libtsan.so", SANITIZER_THREAD },
        { "libclang_rt.tsan", SANITIZER_THREAD },
    };

    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
        if (strncmp(library, runtimes[i].name, strlen(runtimes[i].name)) == 0)
            return runtimes[i].sanitizer;
    return SANITIZER_NONE;
}

/* Where in the file ADDRESS is. */
static bool find_offset(const Elf64_Phdr *segments, unsigned count, uint64_t address, off_t *offset)
{
    for (unsigned i = 0; i < count; i++) {
        const Elf64_Phdr *segment = &segments[i];

        if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
            address - segment->p_vaddr >= segment->p_filesz)
            continue;
        *offset = (off_t)(segment->p_offset + (address - segment->p_vaddr));
        return true;
    }
    return false;
}

/* The first library, and where the table of names is. False: there is none. */
static bool find_first_library(int fd, const Elf64_Phdr *dynamic, uint64_t *name, uint64_t *names)
{
    Elf64_Dyn entries[MOST_ENTRIES];
    size_t bytes = dynamic->p_filesz < sizeof(entries) ? dynamic->p_filesz : sizeof(entries);
    ssize_t got = pread(fd, entries, bytes, (off_t)dynamic->p_offset);
    bool has_name = false, has_names = false;

    for (ssize_t i = 0; i < got / (ssize_t)sizeof(entries[0]); i++) {
        if (entries[i].d_tag == DT_NULL)
            break;
        if (entries[i].d_tag == DT_NEEDED && !has_name) {
            *name = entries[i].d_un.d_val;
            has_name = true;
        } else if (entries[i].d_tag == DT_STRTAB) {
            *names = entries[i].d_un.d_ptr;
            has_names = true;
        }
    }
    return has_name && has_names;
}

enum program_sanitizer program_sanitizer_of(int fd, const Elf64_Phdr *segments, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char library[NAME_BYTES + 1] = "";
        uint64_t name = 0, names = 0;
        off_t offset;

        if (segments[i].p_type != PT_DYNAMIC)
            continue;
        if (!find_first_library(fd, &segments[i], &name, &names) ||
            !find_offset(segments, count, names + name, &offset) ||
            pread(fd, library, NAME_BYTES, offset) <= 0)
            return SANITIZER_NONE;
        return program_sanitizer_called(library);
    }
    return SANITIZER_NONE;
}
