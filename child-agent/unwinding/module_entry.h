/* One entry of the list of modules: what was read of a mapped file, and its unwind tables.
 *
 * A file becomes a module by its ELF header in memory. Programs that generate code map a file of
 * names (a jitdump), and V8 maps parts of its own file a second time; these are modules without
 * tables. The tables of modules that are never unloaded are read in place, those of all others are
 * copied, by calls that cannot fault. The owner makes sure that only one thread or handler at a
 * time is here. */
#ifndef PROFD_AGENT_MODULE_ENTRY_H
#define PROFD_AGENT_MODULE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/module.h"
#include "child-agent/unwinding/module_maps.h"
#include "child-agent/unwinding/module_paths.h"

enum table_state {
    TABLES_UNREAD = 0, /* not requested yet */
    TABLES_READ = 1,   /* read, or there are none */
};

struct module_entry {
    struct module module;
    uint64_t header_address;
    uint64_t device, inode, contents;
    size_t tables_header_bytes, tables_frames_bytes; /* the sizes to read */
    enum table_state tables;
    void *header_copy, *frames_copy; /* NULL: none, or read in place */
    bool is_listed;                  /* while comparing lists: was found again */
};

/* Returns whether ENTRY was read from that image, which is still the same file. */
bool module_entry_is_of(const struct module_entry *entry, const struct mapped_image *image);

/* Reads IMAGE, without its tables. Returns 0; -ENOEXEC for a file that was mapped only for its
 * data; -ENOMEM; or an error of elf_image_read(). */
int module_entry_read(const struct mapped_image *image, struct module_paths *paths,
                      struct module_entry *out);

/* Reads a part of a file that is mapped separately from its image, as a library of its own: with
 * the file's names, but without unwind tables, which describe only the image. HEADER_ADDRESS is the
 * address of the file's header; 0: it is not mapped. Errors as module_entry_read(). */
int module_entry_read_copy(const struct mapped_code *code, uint64_t header_address,
                           struct module_paths *paths, struct module_entry *out);

/* Reads the unwind tables into the module, once. If they are not available, because the library is
 * being unloaded or is too large, the module has none. */
void module_entry_read_tables(struct module_entry *entry);

/* Frees the copies of the tables, if there are any. */
void module_entry_forget_tables(struct module_entry *entry);

#endif
