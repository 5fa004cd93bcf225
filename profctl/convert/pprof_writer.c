#include "profctl/convert/pprof_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
