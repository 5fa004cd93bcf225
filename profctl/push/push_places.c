#include "profctl/push/push_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "profctl/push/stack_path.h"

static int64_t string_of(struct pprof_writer *writer, const struct push_text *text)
{
    return pprof_writer_string(writer, text->bytes, text->length);
}

static int write_mapping(struct pprof_writer *writer, uint64_t id, const struct path_frame *frame)
{
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = { &mapping };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    mapping.id = id;
    mapping.filename = string_of(writer, &frame->library);
    mapping.build_id = string_of(writer, &frame->build_id);
    mapping.has_functions = mapping.has_filenames = true;
    message.n_mapping = 1;
    message.mapping = mappings;
    return pprof_writer_message(writer, &message);
}

/* The number of the mapping of FRAME's library, in one build of it; a new one is written. */
static int find_mapping(struct pprof_writer *writer, struct unique_strings *libraries,
                        const struct path_frame *frame, uint64_t *id)
{
    uint32_t known = unique_strings_count(libraries);
    char *key;
    int length = asprintf(&key, "%.*s%c%.*s", (int)frame->library.length, frame->library.bytes,
                          '\0', (int)frame->build_id.length, frame->build_id.bytes);

    if (length < 0)
        return -ENOMEM;
    uint32_t number = unique_strings_add(libraries, key, (size_t)length);
    free(key);
    if (number == UNIQUE_NONE)
        return -ENOMEM;
    *id = (uint64_t)number + PPROF_FIRST_ID;
    return number < known ? 0 : write_mapping(writer, *id, frame);
}

static int write_place(struct pprof_writer *writer, const struct unique_strings *keys,
                       struct unique_strings *libraries, uint32_t index)
{
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = { &function };
    Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = { &location };
    Pprof__Line line = PPROF__LINE__INIT, *lines[] = { &line };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    struct path_frame frame;

    path_frame_of(keys, index, &frame);
    int error = frame.library.length > 0
                    ? find_mapping(writer, libraries, &frame, &location.mapping_id)
                    : 0;
    function.id = location.id = line.function_id = index + PPROF_FIRST_ID;
    function.name = function.system_name = string_of(writer, &frame.function);
    function.filename = string_of(writer, &frame.file);
    location.n_line = 1;
    location.line = lines;
    message.n_function = message.n_location = 1;
    message.function = functions;
    message.location = locations;
    return error < 0 ? error : pprof_writer_message(writer, &message);
}

int push_places_write(struct pprof_writer *writer, const struct unique_strings *keys)
{
    struct unique_strings libraries;
    int error = 0;

    unique_strings_init(&libraries, &writer->latch);
    for (uint32_t i = 0; i < unique_strings_count(keys) && error == 0; i++)
        error = write_place(writer, keys, &libraries, i);
    unique_strings_fini(&libraries);
    return error < 0 ? error : pprof_writer_strings(writer);
}
