#include "child-agent/unwinding/module_entry.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "child-agent/guest/pages.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/module_elf.h"

enum {
    MAX_COPIED_BYTES = 64 * 1024 * 1024, /* of one table */
    JITDUMP_SHOWN_BYTES = 4096,
};

/* --- What a file is --- */

bool module_entry_is_of(const struct module_entry *entry, const struct mapped_image *image)
{
    return entry->header_address == image->header_address && entry->device == image->device &&
           entry->inode == image->inode && entry->contents == image->contents &&
           strlen(entry->module.path) == image->path_bytes &&
           memcmp(entry->module.path, image->path, image->path_bytes) == 0;
}

/* What generates code tells where it keeps the names of it by mapping that file as code. */
static bool is_jitdump(const struct mapped_image *image)
{
    static const char magic[] = { 'D', 'T', 'i', 'J' };
    char start[sizeof(magic)];
    return image->has_code && image->path[0] == '/' &&
           process_memory_read(image->header_address, start, sizeof(start)) == 0 &&
           memcmp(start, magic, sizeof(magic)) == 0;
}

/* A library with nothing in it but its name. */
static int read_jitdump(const struct mapped_image *image, struct module_paths *paths,
                        struct module_entry *out)
{
    memset(out, 0, sizeof(*out));
    out->header_address = image->header_address;
    out->device = image->device;
    out->inode = image->inode;
    out->contents = image->contents;
    out->tables = TABLES_READ;
    out->module.start = out->module.load_bias = image->header_address;
    out->module.end = image->header_address + JITDUMP_SHOWN_BYTES;
    out->module.path = module_paths_keep(paths, image->path, image->path_bytes);
    return out->module.path == NULL ? -ENOMEM : 0;
}

int module_entry_read(const struct mapped_image *image, struct module_paths *paths,
                      struct module_entry *out)
{
    struct elf_image elf;
    int error = image->has_code ? elf_image_read(image->header_address, &elf) : -ENOEXEC;
    if (error != 0)
        return is_jitdump(image) ? read_jitdump(image, paths, out) : error;
    memset(out, 0, sizeof(*out));
    out->header_address = image->header_address;
    out->device = image->device;
    out->inode = image->inode;
    out->contents = image->contents;
    out->tables_header_bytes = elf.eh_frame_header_bytes;
    out->tables_frames_bytes = elf.eh_frame_bytes;
    struct module *module = &out->module;
    module->start = elf.start;
    module->end = elf.end;
    module->load_bias = elf.load_bias;
    module->eh_frame_header_address = elf.eh_frame_header_address;
    module->eh_frame_address = elf.eh_frame_address;
    module->build_id_bytes = elf.build_id_bytes;
    memcpy(module->build_id, elf.build_id, sizeof(module->build_id));
    module->path = module_paths_keep(paths, image->path, image->path_bytes);
    return module->path == NULL ? -ENOMEM : 0;
}

int module_entry_read_copy(const struct mapped_code *code, uint64_t header_address,
                           struct module_paths *paths, struct module_entry *out)
{
    struct elf_image elf;
    int error = header_address != 0 ? elf_image_read(header_address, &elf) : -ENOEXEC;
    memset(out, 0, sizeof(*out));
    if (error == 0)
        error = elf_image_bias_of_copy(header_address, code->start, code->offset,
                                       &out->module.load_bias);
    if (error != 0)
        return error;
    out->header_address = code->start;
    out->device = code->device;
    out->inode = code->inode;
    out->tables = TABLES_READ;
    out->module.start = code->start;
    out->module.end = code->end;
    out->module.build_id_bytes = elf.build_id_bytes;
    memcpy(out->module.build_id, elf.build_id, sizeof(out->module.build_id));
    out->module.path = module_paths_keep(paths, code->path, code->path_bytes);
    return out->module.path == NULL ? -ENOMEM : 0;
}

/* --- Unwind tables --- */

/* Whether nothing can unmap the module while this code runs. */
static bool is_permanent(const struct module *module)
{
    return module_contains(module, getauxval(AT_PHDR)) ||
           module_contains(module, getauxval(AT_BASE)) ||
           module_contains(module, getauxval(AT_SYSINFO_EHDR)) ||
           module_contains(module, (uint64_t)(uintptr_t)&getauxval) ||
           module_contains(module, (uint64_t)(uintptr_t)&is_permanent);
}

static bool is_readable(uint64_t address, size_t bytes)
{
    uint8_t byte;
    return process_memory_read(address, &byte, 1) == 0 &&
           process_memory_read(address + bytes - 1, &byte, 1) == 0;
}

static void *copy_table(uint64_t address, size_t bytes)
{
    if (bytes > MAX_COPIED_BYTES)
        return NULL;
    void *copy = pages_allocate(bytes);
    if (copy != NULL && process_memory_read(address, copy, bytes) != 0) {
        pages_free(copy, bytes);
        return NULL;
    }
    return copy;
}

void module_entry_forget_tables(struct module_entry *entry)
{
    pages_free(entry->header_copy, entry->tables_header_bytes);
    pages_free(entry->frames_copy, entry->tables_frames_bytes);
    entry->header_copy = entry->frames_copy = NULL;
}

static void show_tables(struct module_entry *entry, const void *header, const void *frames)
{
    struct module *module = &entry->module;
    module->eh_frame_header = header;
    module->eh_frame_header_bytes = entry->tables_header_bytes;
    module->eh_frame = frames;
    module->eh_frame_bytes = entry->tables_frames_bytes;
}

void module_entry_read_tables(struct module_entry *entry)
{
    const struct module *module = &entry->module;
    uint64_t header = module->eh_frame_header_address;
    uint64_t frames = module->eh_frame_address;
    entry->tables = TABLES_READ;
    if (entry->tables_header_bytes == 0)
        return;
    if (is_permanent(module)) {
        if (is_readable(header, entry->tables_header_bytes) &&
            is_readable(frames, entry->tables_frames_bytes))
            show_tables(entry, (const void *)(uintptr_t)header, (const void *)(uintptr_t)frames);
        return;
    }
    entry->header_copy = copy_table(header, entry->tables_header_bytes);
    entry->frames_copy = copy_table(frames, entry->tables_frames_bytes);
    if (entry->header_copy != NULL && entry->frames_copy != NULL)
        show_tables(entry, entry->header_copy, entry->frames_copy);
    else
        module_entry_forget_tables(entry);
}
