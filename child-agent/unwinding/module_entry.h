/* One entry of the list of modules: what is read of a mapped file, and its unwind tables.
 *
 * A file becomes a module by its ELF header in memory. What generates code maps a file of names (a
 * jitdump), and V8 maps parts of its own file a second time: these are modules without tables. The
 * tables of what is never unloaded are read in place, those of all others are copied, with calls
 * that cannot fault. The owner sees to it that one thread or handler at a time is here. */
#ifndef PROFD_AGENT_MODULE_ENTRY_H
#define PROFD_AGENT_MODULE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/module.h"
#include "child-agent/unwinding/module_maps.h"
#include "child-agent/unwinding/module_paths.h"

enum table_state {
    TABLES_UNREAD = 0, /* nobody asked yet */
    TABLES_READ = 1,   /* or there are none */
};

struct module_entry {
    struct module module;
    uint64_t header_address;
    uint64_t device, inode, contents;
    size_t tables_header_bytes, tables_frames_bytes; /* what there is to read */
    enum table_state tables;
    void *header_copy, *frames_copy; /* NULL: none, or read in place */
    bool is_listed;                  /* while comparing lists: found again */
};

/* Whether ENTRY was read of that image, which is still the same file. */
bool module_entry_is_of(const struct module_entry *entry, const struct mapped_image *image);

/* Reads what IMAGE is, but for its tables. -ENOEXEC: a file that was mapped just for its data;
 * -ENOMEM; else as elf_image_read(). */
int module_entry_read(const struct mapped_image *image, struct module_paths *paths,
                      struct module_entry *out);

/* Reads a part of a file that is mapped apart from its image, as a library of its own: with the
 * names of the file, and without unwind tables, which tell of the image only. HEADER_ADDRESS: where
 * the file's header is; 0: it is not mapped. Errors as above. */
int module_entry_read_copy(const struct mapped_code *code, uint64_t header_address,
                           struct module_paths *paths, struct module_entry *out);

/* Shows the unwind tables in the module, once. Without them when they cannot be had: the library is
 * being unloaded, or is too large. */
void module_entry_read_tables(struct module_entry *entry);

/* Frees the copies, if there are any. */
void module_entry_forget_tables(struct module_entry *entry);

#endif
