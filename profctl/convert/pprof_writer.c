#include "profctl/convert/pprof_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/function_name.h"

void pprof_writer_init(struct pprof_writer *writer, json_sink_write write, void *context)
{
    *writer = (struct pprof_writer){ .write = write, .context = context };
    failure_latch_init(&writer->latch);
    unique_strings_init(&writer->strings, &writer->latch);
    (void)pprof_writer_word(writer, "");
}

void pprof_writer_fini(struct pprof_writer *writer)
{
    unique_strings_fini(&writer->strings);
}

int64_t pprof_writer_string(struct pprof_writer *writer, const char *text, size_t length)
{
    return (int64_t)unique_strings_add(&writer->strings, text, length);
}

int64_t pprof_writer_word(struct pprof_writer *writer, const char *word)
{
    return pprof_writer_string(writer, word, strlen(word));
}

int pprof_writer_message(struct pprof_writer *writer, const Pprof__Profile *message)
{
    size_t bytes = pprof__profile__get_packed_size(message);
    uint8_t *packed = malloc(bytes + 1);

    if (packed == NULL)
        return -ENOMEM;
    pprof__profile__pack(message, packed);
    int error = writer->write(writer->context, (const char *)packed, bytes);
    free(packed);
    return error < 0 ? error : failure_latch_error(&writer->latch);
}

int pprof_writer_sample(struct pprof_writer *writer, const uint32_t *path, size_t depth,
                        Pprof__Sample *sample)
{
    Pprof__Sample *samples[] = { sample };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    uint64_t *locations = malloc((depth + 1) * sizeof(*locations));

    if (locations == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < depth; i++)
        locations[depth - 1 - i] = path[i] + PPROF_FIRST_ID;
    sample->n_location_id = depth;
    sample->location_id = locations;
    message.n_sample = 1;
    message.sample = samples;
    int error = pprof_writer_message(writer, &message);
    free(locations);
    return error;
}

/* --- Names --- */

/* The number of LIBRARY's mapping; a new one is written. 0: no memory. */
static uint64_t mapping_of(struct pprof_writer *writer, struct unique_strings *libraries,
                           const char *library, size_t length, int *error)
{
    uint32_t known = unique_strings_count(libraries);
    uint64_t id = (uint64_t)unique_strings_add(libraries, library, length) + PPROF_FIRST_ID;
    Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings[] = { &mapping };
    Pprof__Profile message = PPROF__PROFILE__INIT;

    if (unique_strings_count(libraries) == known)
        return id;
    mapping.id = id;
    mapping.filename = pprof_writer_string(writer, library, length);
    mapping.has_functions = true;
    message.n_mapping = 1;
    message.mapping = mappings;
    *error = pprof_writer_message(writer, &message);
    return id;
}

/* A name is one function at one place. */
static int write_name(struct pprof_writer *writer, const struct unique_strings *names,
                      struct unique_strings *libraries, uint32_t index)
{
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions[] = { &function };
    Pprof__Location location = PPROF__LOCATION__INIT, *locations[] = { &location };
    Pprof__Line line = PPROF__LINE__INIT, *lines[] = { &line };
    Pprof__Profile message = PPROF__PROFILE__INIT;
    struct function_name parts;
    size_t length;
    const char *name = unique_strings_get(names, index, &length);
    int error = 0;

    function_name_parse(name, length, &parts);
    if (parts.library != NULL)
        location.mapping_id =
            mapping_of(writer, libraries, parts.library, parts.library_length, &error);
    function.id = location.id = line.function_id = index + PPROF_FIRST_ID;
    function.name = function.system_name =
        pprof_writer_string(writer, name, parts.library != NULL ? parts.function_length : length);
    location.n_line = 1;
    location.line = lines;
    message.n_function = message.n_location = 1;
    message.function = functions;
    message.location = locations;
    return error < 0 ? error : pprof_writer_message(writer, &message);
}

/* They are numbered in this order. */
int pprof_writer_strings(struct pprof_writer *writer)
{
    int error = 0;

    for (uint32_t i = 0; i < unique_strings_count(&writer->strings) && error == 0; i++) {
        Pprof__Profile message = PPROF__PROFILE__INIT;
        size_t length;
        const char *view = unique_strings_get(&writer->strings, i, &length);
        char *text = strndup(view, length), *texts[] = { text };
        if (text == NULL)
            return -ENOMEM;
        message.n_string_table = 1;
        message.string_table = texts;
        error = pprof_writer_message(writer, &message);
        free(text);
    }
    return error;
}

int pprof_writer_names(struct pprof_writer *writer, const struct unique_strings *names)
{
    struct unique_strings libraries;
    int error = 0;

    unique_strings_init(&libraries, &writer->latch);
    for (uint32_t i = 0; i < unique_strings_count(names) && error == 0; i++)
        error = write_name(writer, names, &libraries, i);
    unique_strings_fini(&libraries);
    return error < 0 ? error : pprof_writer_strings(writer);
}
