#include "child-agent/unwinding/module_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/guest/pages.h"

enum {
    FIRST_TEXT_BYTES = 256 * 1024,
    MAX_TEXT_BYTES = 64 * 1024 * 1024, /* the kernel allows 65530 mappings unless told otherwise */
    FIRST_ITEM_BYTES = 64 * 1024,
};

/* --- Parsing --- */

static uint64_t parse_number(const char **cursor, const char *end, unsigned base)
{
    uint64_t value = 0;
    for (; *cursor < end; (*cursor)++) {
        char c = **cursor;
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else
            break;
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    return value;
}

static bool parse_character(const char **cursor, const char *end, char wanted)
{
    if (*cursor == end || **cursor != wanted)
        return false;
    (*cursor)++;
    return true;
}

static void parse_path(const char *cursor, const char *end, struct mapping *out)
{
    static const char deleted[] = " (deleted)";
    const size_t deleted_bytes = sizeof(deleted) - 1;
    while (cursor < end && *cursor == ' ')
        cursor++;
    size_t bytes = (size_t)(end - cursor);
    if (bytes > deleted_bytes &&
        memcmp(cursor + bytes - deleted_bytes, deleted, deleted_bytes) == 0)
        bytes -= deleted_bytes;
    out->path = cursor;
    out->path_bytes = bytes;
}

static bool parse_line(const char *cursor, const char *end, struct mapping *out)
{
    out->start = parse_number(&cursor, end, 16);
    if (!parse_character(&cursor, end, '-'))
        return false;
    out->end = parse_number(&cursor, end, 16);
    if (!parse_character(&cursor, end, ' ') || end - cursor < 5)
        return false;
    out->is_executable = cursor[2] == 'x';
    cursor += 5;
    out->offset = parse_number(&cursor, end, 16);
    if (!parse_character(&cursor, end, ' '))
        return false;
    uint64_t major = parse_number(&cursor, end, 16);
    if (!parse_character(&cursor, end, ':'))
        return false;
    out->device = major << 32 | parse_number(&cursor, end, 16);
    if (!parse_character(&cursor, end, ' '))
        return false;
    out->inode = parse_number(&cursor, end, 10);
    parse_path(cursor, end, out);
    return out->start < out->end;
}

bool mapping_parse(const char **cursor, const char *end, struct mapping *out)
{
    while (*cursor < end) {
        const char *line = *cursor;
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (line_end == NULL)
            line_end = end;
        *cursor = line_end < end ? line_end + 1 : end;
        if (parse_line(line, line_end, out))
            return true;
    }
    return false;
}

/* --- The list --- */

/* Makes room for one more item. */
static int make_room(void **items, size_t *capacity, size_t count, size_t item_bytes)
{
    if ((count + 1) * item_bytes <= *capacity)
        return 0;
    size_t bytes = *capacity == 0 ? FIRST_ITEM_BYTES : 2 * *capacity;
    void *grown = pages_grow(*items, *capacity, bytes);
    if (grown == NULL)
        return -ENOMEM;
    *items = grown;
    *capacity = bytes;
    return 0;
}

int mapping_list_add_image(struct mapping_list *list, const struct mapped_image *image)
{
    int error =
        make_room((void **)&list->images, &list->image_capacity, list->image_count, sizeof(*image));
    if (error == 0)
        list->images[list->image_count++] = *image;
    return error;
}

int mapping_list_add_executable(struct mapping_list *list, uint64_t start, uint64_t end)
{
    size_t count = list->executable_count;
    if (count > 0 && list->executable[count - 1].end == start) {
        list->executable[count - 1].end = end;
        return 0;
    }
    int error = make_room((void **)&list->executable, &list->executable_capacity, count,
                          sizeof(*list->executable));
    if (error == 0)
        list->executable[list->executable_count++] = (struct address_range){ start, end };
    return error;
}

static int add_code(struct mapping_list *list, const struct mapping *mapping)
{
    const struct mapped_code code = { mapping->start,     mapping->end,   mapping->offset,
                                      mapping->device,    mapping->inode, mapping->path,
                                      mapping->path_bytes };
    int error =
        make_room((void **)&list->codes, &list->code_capacity, list->code_count, sizeof(code));
    if (error == 0)
        list->codes[list->code_count++] = code;
    return error;
}

static bool is_code_of_file(const struct mapping *mapping)
{
    return mapping->is_executable && mapping->offset != 0 && mapping->inode != 0 &&
           mapping->path_bytes > 0 && mapping->path[0] == '/';
}

static bool has_image(const struct mapping *mapping)
{
    if (mapping->offset != 0 || mapping->path_bytes == 0)
        return false;
    static const char vdso[] = "[vdso]";
    return mapping->path[0] == '/' || (mapping->path_bytes == sizeof(vdso) - 1 &&
                                       memcmp(mapping->path, vdso, sizeof(vdso) - 1) == 0);
}

/* The code belongs to the nearest image of its file before it. */
static void mark_image_of_code(struct mapping_list *list, const struct mapping *code)
{
    for (size_t i = list->image_count; i > 0; i--) {
        struct mapped_image *image = &list->images[i - 1];
        if (image->device != code->device || image->inode != code->inode)
            continue;
        if (code->inode != 0 || image->header_address == code->start)
            image->has_code = true;
        return;
    }
}

int mapping_list_parse(struct mapping_list *list)
{
    const char *cursor = list->text;
    const char *end = list->text + list->text_bytes;
    struct mapping mapping;
    int error = 0;
    list->image_count = list->code_count = list->executable_count = 0;
    while (error == 0 && mapping_parse(&cursor, end, &mapping)) {
        if (has_image(&mapping)) {
            struct mapped_image image = { .header_address = mapping.start,
                                          .device = mapping.device,
                                          .inode = mapping.inode,
                                          .path = mapping.path,
                                          .path_bytes = mapping.path_bytes };
            error = mapping_list_add_image(list, &image);
        }
        if (error == 0 && is_code_of_file(&mapping))
            error = add_code(list, &mapping);
        if (error == 0 && mapping.is_executable) {
            mark_image_of_code(list, &mapping);
            error = mapping_list_add_executable(list, mapping.start, mapping.end);
        }
    }
    return error;
}

/* --- Sources --- */

int mapping_list_grow_text(struct mapping_list *list)
{
    size_t bytes = list->text_capacity == 0 ? FIRST_TEXT_BYTES : 2 * list->text_capacity;
    if (bytes > MAX_TEXT_BYTES)
        return -ENOMEM;
    char *text = pages_grow(list->text, list->text_capacity, bytes);
    if (text == NULL)
        return -ENOMEM;
    list->text = text;
    list->text_capacity = bytes;
    return 0;
}

static int read_text(struct mapping_list *list, int fd)
{
    list->text_bytes = 0;
    for (;;) {
        if (list->text_bytes == list->text_capacity) {
            int error = mapping_list_grow_text(list);
            if (error != 0)
                return error;
        }
        ssize_t got =
            read(fd, list->text + list->text_bytes, list->text_capacity - list->text_bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 ? 0 : -errno;
        list->text_bytes += (size_t)got;
    }
}

int mapping_list_read_maps(struct mapping_list *list)
{
    /* What stands under the process is empty once its main thread has ended. */
    int fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = read_text(list, fd);
    close(fd);
    return error == 0 ? mapping_list_parse(list) : error;
}

/* The range that ends behind ADDRESS, if any: the first that may hold it. */
static const struct address_range *range_at(const struct mapping_list *list, uint64_t address)
{
    size_t low = 0, high = list->executable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->executable[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->executable_count ? &list->executable[low] : NULL;
}

bool mapping_list_is_executable(const struct mapping_list *list, uint64_t address)
{
    const struct address_range *range = range_at(list, address);
    return range != NULL && range->start <= address;
}

void mapping_list_free(struct mapping_list *list)
{
    pages_free(list->text, list->text_capacity);
    pages_free(list->images, list->image_capacity);
    pages_free(list->codes, list->code_capacity);
    pages_free(list->executable, list->executable_capacity);
    memset(list, 0, sizeof(*list));
}
