#include "profctl/push/otlp_dictionary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/packed_message.h"

enum {
    FIRST = 1, /* the first of each table is empty */
    TRACE_ID_BYTES = 16,
    SPAN_ID_BYTES = 8,
};

static int add_part(struct otlp_dictionary *dictionary, const Otlp__Dictionary *part)
{
    return packed_message_append(&dictionary->packed, &part->base);
}

/* The number of the string, which is terminated for its message; what finds no memory is latched.
 */
static int32_t string_of(struct otlp_dictionary *dictionary, const char *text, size_t length)
{
    uint32_t known = unique_strings_count(&dictionary->strings);
    uint32_t number = unique_strings_add(&dictionary->strings, text, length);
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;

    if (number == UNIQUE_NONE || number < known)
        return (int32_t)number;
    char *copy = strndup(text, length);
    part.n_string_table = 1;
    part.string_table = &copy;
    if (copy == NULL || add_part(dictionary, &part) < 0)
        failure_latch_set(&dictionary->latch, -ENOMEM);
    free(copy);
    return (int32_t)number;
}

int32_t otlp_dictionary_word(struct otlp_dictionary *dictionary, const char *word)
{
    return string_of(dictionary, word, strlen(word));
}

static int add_zero_entries(struct otlp_dictionary *dictionary)
{
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings[] = { &mapping };
    Otlp__Location location = OTLP__LOCATION__INIT, *locations[] = { &location };
    Otlp__Function function = OTLP__FUNCTION__INIT, *functions[] = { &function };
    Otlp__Link link = OTLP__LINK__INIT, *links[] = { &link };
    Otlp__Attribute attribute = OTLP__ATTRIBUTE__INIT, *attributes[] = { &attribute };
    Otlp__Stack stack = OTLP__STACK__INIT, *stacks[] = { &stack };
    uint8_t zeros[TRACE_ID_BYTES] = { 0 };

    /* That of a link is to have its ids all the same, for who expects their sizes. */
    link.trace_id = (ProtobufCBinaryData){ TRACE_ID_BYTES, zeros };
    link.span_id = (ProtobufCBinaryData){ SPAN_ID_BYTES, zeros };
    part.n_mapping_table = part.n_location_table = part.n_function_table = part.n_link_table =
        part.n_attribute_table = part.n_stack_table = 1;
    part.mapping_table = mappings;
    part.location_table = locations;
    part.function_table = functions;
    part.link_table = links;
    part.attribute_table = attributes;
    part.stack_table = stacks;
    (void)otlp_dictionary_word(dictionary, "");
    return add_part(dictionary, &part);
}

/* The number of the attribute KEY of that VALUE; what finds no memory is latched. */
static int32_t attribute_of(struct otlp_dictionary *dictionary, const char *key,
                            const struct push_text *value)
{
    Otlp__AnyValue any = OTLP__ANY_VALUE__INIT;
    Otlp__Attribute attribute = OTLP__ATTRIBUTE__INIT, *attributes[] = { &attribute };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    uint32_t known = unique_strings_count(&dictionary->attributes);
    char *both;
    int length = asprintf(&both, "%s%c%.*s", key, '\0', (int)value->length, value->bytes);

    if (length < 0) {
        failure_latch_set(&dictionary->latch, -ENOMEM);
        return 0;
    }
    uint32_t number = unique_strings_add(&dictionary->attributes, both, (size_t)length);
    if (number != UNIQUE_NONE && number >= known) {
        attribute.key_strindex = otlp_dictionary_word(dictionary, key);
        attribute.value = &any;
        any.string_value = both + strlen(key) + 1;
        part.n_attribute_table = 1;
        part.attribute_table = attributes;
        if (add_part(dictionary, &part) < 0)
            failure_latch_set(&dictionary->latch, -ENOMEM);
    }
    free(both);
    return (int32_t)number + FIRST;
}

static int add_mapping(struct otlp_dictionary *dictionary, const struct path_frame *frame)
{
    Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings[] = { &mapping };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    int32_t build_id;

    mapping.filename_strindex = string_of(dictionary, frame->library.bytes, frame->library.length);
    if (frame->build_id.length > 0) {
        build_id = attribute_of(dictionary, "process.executable.build_id.gnu", &frame->build_id);
        mapping.n_attribute_indices = 1;
        mapping.attribute_indices = &build_id;
    }
    part.n_mapping_table = 1;
    part.mapping_table = mappings;
    return add_part(dictionary, &part);
}

/* The number among NAMES of A and B together; UNIQUE_NONE: out of memory. */
static uint32_t number_of_pair(struct unique_strings *names, const struct push_text *a,
                               const struct push_text *b)
{
    char *key;
    int length =
        asprintf(&key, "%.*s%c%.*s", (int)a->length, a->bytes, '\0', (int)b->length, b->bytes);

    if (length < 0)
        return UNIQUE_NONE;
    uint32_t number = unique_strings_add(names, key, (size_t)length);
    free(key);
    return number;
}

/* That of FRAME's library, in one build of it; 0 without a library. */
static int find_mapping(struct otlp_dictionary *dictionary, const struct path_frame *frame,
                        int32_t *out)
{
    uint32_t known = unique_strings_count(&dictionary->libraries);

    *out = 0;
    if (frame->library.length == 0)
        return 0;
    uint32_t number = number_of_pair(&dictionary->libraries, &frame->library, &frame->build_id);
    *out = (int32_t)number + FIRST;
    return number == UNIQUE_NONE ? -ENOMEM : number < known ? 0 : add_mapping(dictionary, frame);
}

static int add_function(struct otlp_dictionary *dictionary, const struct path_frame *frame)
{
    Otlp__Function function = OTLP__FUNCTION__INIT, *functions[] = { &function };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;

    function.name_strindex = function.system_name_strindex =
        string_of(dictionary, frame->function.bytes, frame->function.length);
    function.filename_strindex = string_of(dictionary, frame->file.bytes, frame->file.length);
    part.n_function_table = 1;
    part.function_table = functions;
    return add_part(dictionary, &part);
}

/* That of FRAME, which two libraries may have. */
static int find_function(struct otlp_dictionary *dictionary, const struct path_frame *frame,
                         int32_t *out)
{
    uint32_t known = unique_strings_count(&dictionary->functions);
    uint32_t number = number_of_pair(&dictionary->functions, &frame->function, &frame->file);

    *out = (int32_t)number + FIRST;
    return number == UNIQUE_NONE ? -ENOMEM : number < known ? 0 : add_function(dictionary, frame);
}

/* A key is one function at one place, which has its number. */
static int add_place(struct otlp_dictionary *dictionary, uint32_t number)
{
    Otlp__Location location = OTLP__LOCATION__INIT, *locations[] = { &location };
    Otlp__Line line = OTLP__LINE__INIT, *lines[] = { &line };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    struct path_frame frame;

    path_frame_of(&dictionary->keys, number, &frame);
    int error = find_mapping(dictionary, &frame, &location.mapping_index);
    if (error == 0)
        error = find_function(dictionary, &frame, &line.function_index);
    location.n_lines = 1;
    location.lines = lines;
    part.n_location_table = 1;
    part.location_table = locations;
    return error < 0 ? error : add_part(dictionary, &part);
}

static int add_stack(struct otlp_dictionary *dictionary)
{
    const uint32_t *path = dictionary->path.frames.items;
    size_t depth = dictionary->path.frames.count;
    Otlp__Stack stack = OTLP__STACK__INIT, *stacks[] = { &stack };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    int32_t *locations = malloc((depth + 1) * sizeof(*locations));

    if (locations == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < depth; i++)
        locations[depth - 1 - i] = (int32_t)path[i] + FIRST;
    stack.n_location_indices = depth;
    stack.location_indices = locations;
    part.n_stack_table = 1;
    part.stack_table = stacks;
    int error = add_part(dictionary, &part);
    free(locations);
    return error;
}

int otlp_dictionary_stack(struct otlp_dictionary *dictionary, const struct export_rows *rows,
                          uint32_t stack, int32_t *out)
{
    uint32_t keys = unique_strings_count(&dictionary->keys);
    uint32_t known = unique_strings_count(&dictionary->stacks);
    int error = stack_path_read(rows, stack, &dictionary->keys, &dictionary->path);

    *out = 0;
    for (; keys < unique_strings_count(&dictionary->keys) && error == 0; keys++)
        error = add_place(dictionary, keys);
    if (error < 0 || dictionary->path.frames.count == 0)
        return error;
    uint32_t number = unique_strings_add(&dictionary->stacks, dictionary->path.frames.items,
                                         dictionary->path.frames.count * sizeof(uint32_t));
    if (number == UNIQUE_NONE)
        return -ENOMEM;
    *out = (int32_t)number + FIRST;
    return number >= known ? add_stack(dictionary) : 0;
}

int32_t otlp_dictionary_thread(struct otlp_dictionary *dictionary, const struct push_text *thread)
{
    return attribute_of(dictionary, "thread.name", thread);
}

/* --- Life cycle --- */

int otlp_dictionary_begin(struct otlp_dictionary *dictionary)
{
    struct unique_strings *const tables[] = { &dictionary->strings,   &dictionary->keys,
                                              &dictionary->functions, &dictionary->libraries,
                                              &dictionary->stacks,    &dictionary->attributes };

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        unique_strings_fini(tables[i]);
        unique_strings_init(tables[i], &dictionary->latch);
    }
    dictionary->packed.count = 0;
    return add_zero_entries(dictionary);
}

int otlp_dictionary_init(struct otlp_dictionary *dictionary)
{
    *dictionary = (struct otlp_dictionary){ 0 };
    failure_latch_init(&dictionary->latch);
    return otlp_dictionary_begin(dictionary);
}

void otlp_dictionary_fini(struct otlp_dictionary *dictionary)
{
    unique_strings_fini(&dictionary->strings);
    unique_strings_fini(&dictionary->keys);
    unique_strings_fini(&dictionary->functions);
    unique_strings_fini(&dictionary->libraries);
    unique_strings_fini(&dictionary->stacks);
    unique_strings_fini(&dictionary->attributes);
    stack_path_free(&dictionary->path);
    mapped_array_free(&dictionary->packed);
}
