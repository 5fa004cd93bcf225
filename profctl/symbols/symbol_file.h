/* The file of a library that a process had mapped: found, and checked to be the one. */
#ifndef PROFD_PROFCTL_SYMBOL_FILE_H
#define PROFD_PROFCTL_SYMBOL_FILE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* One library opened with libdwfl, which also finds its separate debug files. */
struct symbol_file {
    Dwfl *session; /* owned; NULL: not open */
    Dwfl_Module *module;
    Elf *elf;           /* of the main file; the module's */
    GElf_Addr elf_bias; /* a module address is the main file's plus this */
};

/* Opens the library at PATH as process PID sees it (through its root while it lives; 0: none), or
 * as we see it. BUILD_ID is in lower-case hexadecimal; a file with another one is not used; ""
 * accepts any. PATH "[vdso]" is our own. Where the library itself is gone, a file of its debug
 * information is as good (debug_files.h). Returns 0, -ENOENT when there is no such file, -ESTALE
 * when the files found had other build ids, or -ENOMEM. */
int symbol_file_open(const char *path, const char *build_id, int64_t pid, struct symbol_file *out);

/* The same without files of debug information alone: is the library itself here? */
int symbol_file_open_itself(const char *path, const char *build_id, int64_t pid,
                            struct symbol_file *out);

/* Safe on a zeroed struct. */
void symbol_file_close(struct symbol_file *file);

#endif
