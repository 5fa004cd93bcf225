/* What is mapped into this process: the images (ELF files, the vdso) and the executable ranges, as
 * the kernel lists them. */
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
    const char *path; /* points into the text; not terminated. Without " (deleted)" */
    size_t path_bytes;
};

/* Where a file's first byte is mapped, so perhaps an ELF header. */
struct mapped_image {
    uint64_t header_address;
    uint64_t device, inode;
    bool has_code;    /* some of the file is mapped as code behind it: it isn't just data */
    const char *path; /* in the list's text; not terminated */
    size_t path_bytes;
    uint64_t contents; /* the loader does not tell the file, but a hash of its headers and notes */
};

/* Where a part of a file is mapped as code. Its image may be elsewhere: V8 maps its built-in
 * functions a second time, near what it generates. */
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
    struct mapped_code *codes; /* ascending; parts of files that don't begin with the header */
    size_t code_count, code_capacity;
    struct address_range *executable; /* ascending, apart from each other */
    size_t executable_count, executable_capacity;
};

/* Takes the next well-formed line from [*CURSOR, END); false: there is no more. */
bool mapping_parse(const char **cursor, const char *end, struct mapping *out);

/* Makes images and ranges of LIST's text. -ENOMEM. */
int mapping_list_parse(struct mapping_list *list);

/* Reads /proc/self/maps. -ENOMEM, or the errno of its not being there; LIST's contents are then
 * undefined. */
int mapping_list_read_maps(struct mapping_list *list);

/* Whether ADDRESS is in one of the executable ranges. */
bool mapping_list_is_executable(const struct mapping_list *list, uint64_t address);

/* --- For whoever fills a list from another source --- */

int mapping_list_grow_text(struct mapping_list *list);
int mapping_list_add_image(struct mapping_list *list, const struct mapped_image *image);
/* Ranges that touch the previous one become one with it. */
int mapping_list_add_executable(struct mapping_list *list, uint64_t start, uint64_t end);

void mapping_list_free(struct mapping_list *list);

#endif
