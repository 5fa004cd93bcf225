/* What is mapped into this process, as listed by the kernel: the images (ELF files, the vdso) and
 * the executable ranges. */
#ifndef PROFD_AGENT_MODULE_MAPS_H
#define PROFD_AGENT_MODULE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of the list of mappings. */
struct mapping {
    uint64_t start, end, offset;
    uint64_t device, inode;
    bool is_executable;
    const char *path; /* points into the text; not terminated; without " (deleted)" */
    size_t path_bytes;
};

/* The place where a file's first byte is mapped, which may be an ELF header. */
struct mapped_image {
    uint64_t header_address;
    uint64_t device, inode;
    bool has_code;    /* part of the file is mapped as code behind it, so it is not just data */
    const char *path; /* in the list's text; not terminated */
    size_t path_bytes;
    uint64_t contents; /* instead of the file, which the loader does not report: a hash of its
                        * headers and notes */
};

/* The place where a part of a file is mapped as code. Its image may be elsewhere: V8 maps its
 * built-in functions a second time, near the code that it generates. */
struct mapped_code {
    uint64_t start, end, offset;
    uint64_t device, inode;
    const char *path; /* in the list's text; not terminated */
    size_t path_bytes;
};

struct address_range {
    uint64_t start, end;
};

/* Reused from one reading to the next. Zeroed: empty. */
struct mapping_list {
    char *text;
    size_t text_bytes, text_capacity;
    struct mapped_image *images; /* ascending */
    size_t image_count, image_capacity;
    struct mapped_code *codes; /* ascending; parts of files that do not begin with the header */
    size_t code_count, code_capacity;
    struct address_range *executable; /* ascending, not touching each other */
    size_t executable_count, executable_capacity;
};

/* Takes the next well-formed line from [*CURSOR, END). Returns false if there are no more. */
bool mapping_parse(const char **cursor, const char *end, struct mapping *out);

/* Makes images and ranges from LIST's text. Returns 0 or -ENOMEM. */
int mapping_list_parse(struct mapping_list *list);

/* Reads /proc/self/maps. Returns 0, -ENOMEM, or the errno of opening or reading it; LIST's contents
 * are undefined then. */
int mapping_list_read_maps(struct mapping_list *list);

/* Returns whether ADDRESS is in one of the executable ranges. */
bool mapping_list_is_executable(const struct mapping_list *list, uint64_t address);

/* --- For filling a list from another source --- */

int mapping_list_grow_text(struct mapping_list *list);
int mapping_list_add_image(struct mapping_list *list, const struct mapped_image *image);
/* Adds a range; one that touches the previous range is merged with it. */
int mapping_list_add_executable(struct mapping_list *list, uint64_t start, uint64_t end);

void mapping_list_free(struct mapping_list *list);

#endif
