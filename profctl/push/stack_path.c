#include "profctl/push/stack_path.h"

#include <errno.h>

#include "profctl/clickhouse/row_binary.h"

int stack_path_read(const struct export_rows *rows, uint32_t stack, struct unique_strings *names,
                    struct mapped_array *path)
{
    size_t length, name_length;
    const char *columns = unique_strings_get(&rows->stacks, stack, &length), *name;
    struct row_reader reader = { columns, columns + length };
    uint64_t depth;
    int error = row_read_length(&reader, &depth);

    path->count = 0;
    while (error == 0 && path->count < depth) {
        error = row_read_string(&reader, &name, &name_length);
        if (error < 0)
            break;
        uint32_t index = unique_strings_add(names, name, name_length);
        uint32_t *place = mapped_array_push(path, sizeof(*place));
        if (index == UNIQUE_NONE || place == NULL)
            return -ENOMEM;
        *place = index;
    }
    return error;
}
