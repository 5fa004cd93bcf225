#include "profctl/push/otlp_dictionary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/function_name.h"
#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/packed_message.h"
#include "profctl/push/stack_path.h"

enum { FIRST = 1 /* the first of each table is empty */ };

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

static int begin(struct otlp_dictionary *dictionary)
{
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings[] = { &mapping };
    Otlp__Location location = OTLP__LOCATION__INIT, *locations[] = { &location };
    Otlp__Function function = OTLP__FUNCTION__INIT, *functions[] = { &function };
    Otlp__Link link = OTLP__LINK__INIT, *links[] = { &link };
    Otlp__Attribute attribute = OTLP__ATTRIBUTE__INIT, *attributes[] = { &attribute };
    Otlp__Stack stack = OTLP__STACK__INIT, *stacks[] = { &stack };

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

/* 0 without a library. */
static int32_t mapping_of(struct otlp_dictionary *dictionary, const struct function_name *name)
{
    Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings[] = { &mapping };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    uint32_t known = unique_strings_count(&dictionary->libraries);

    if (name->library == NULL)
        return 0;
    uint32_t number =
        unique_strings_add(&dictionary->libraries, name->library, name->library_length);
    if (number != UNIQUE_NONE && number >= known) {
        mapping.filename_strindex = string_of(dictionary, name->library, name->library_length);
        part.n_mapping_table = 1;
        part.mapping_table = mappings;
        if (add_part(dictionary, &part) < 0)
            failure_latch_set(&dictionary->latch, -ENOMEM);
    }
    return (int32_t)number + FIRST;
}

/* A name is one function at one place, both with its number. */
static int add_name(struct otlp_dictionary *dictionary, uint32_t number)
{
    Otlp__Function function = OTLP__FUNCTION__INIT, *functions[] = { &function };
    Otlp__Location location = OTLP__LOCATION__INIT, *locations[] = { &location };
    Otlp__Line line = OTLP__LINE__INIT, *lines[] = { &line };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    struct function_name name;
    size_t length;
    const char *text = unique_strings_get(&dictionary->names, number, &length);

    function_name_parse(text, length, &name);
    location.mapping_index = mapping_of(dictionary, &name);
    if (name.library != NULL)
        length = name.function_length;
    function.name_strindex = function.system_name_strindex = string_of(dictionary, text, length);
    line.function_index = (int32_t)number + FIRST;
    location.n_lines = 1;
    location.lines = lines;
    part.n_function_table = part.n_location_table = 1;
    part.function_table = functions;
    part.location_table = locations;
    return add_part(dictionary, &part);
}

static int add_stack(struct otlp_dictionary *dictionary)
{
    const uint32_t *path = dictionary->path.items;
    size_t depth = dictionary->path.count;
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
    uint32_t names = unique_strings_count(&dictionary->names);
    uint32_t known = unique_strings_count(&dictionary->stacks);
    int error = stack_path_read(rows, stack, &dictionary->names, &dictionary->path);

    *out = 0;
    for (; names < unique_strings_count(&dictionary->names) && error == 0; names++)
        error = add_name(dictionary, names);
    if (error < 0 || dictionary->path.count == 0)
        return error;
    uint32_t number = unique_strings_add(&dictionary->stacks, dictionary->path.items,
                                         dictionary->path.count * sizeof(uint32_t));
    if (number == UNIQUE_NONE)
        return -ENOMEM;
    *out = (int32_t)number + FIRST;
    return number >= known ? add_stack(dictionary) : 0;
}

int32_t otlp_dictionary_thread(struct otlp_dictionary *dictionary, const struct push_text *thread)
{
    Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;
    Otlp__Attribute attribute = OTLP__ATTRIBUTE__INIT, *attributes[] = { &attribute };
    Otlp__Dictionary part = OTLP__DICTIONARY__INIT;
    uint32_t known = unique_strings_count(&dictionary->threads);
    uint32_t number = unique_strings_add(&dictionary->threads, thread->bytes, thread->length);

    if (number == UNIQUE_NONE || number < known)
        return (int32_t)number + FIRST;
    attribute.key_strindex = otlp_dictionary_word(dictionary, "thread.name");
    attribute.value = &value;
    value.string_value = strndup(thread->bytes, thread->length);
    part.n_attribute_table = 1;
    part.attribute_table = attributes;
    if (value.string_value == NULL || add_part(dictionary, &part) < 0)
        failure_latch_set(&dictionary->latch, -ENOMEM);
    free(value.string_value);
    return (int32_t)number + FIRST;
}

/* --- Life cycle --- */

int otlp_dictionary_begin(struct otlp_dictionary *dictionary)
{
    struct unique_strings *const tables[] = { &dictionary->strings, &dictionary->names,
                                              &dictionary->libraries, &dictionary->stacks,
                                              &dictionary->threads };

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        unique_strings_fini(tables[i]);
        unique_strings_init(tables[i], &dictionary->latch);
    }
    dictionary->packed.count = 0;
    return begin(dictionary);
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
    unique_strings_fini(&dictionary->names);
    unique_strings_fini(&dictionary->libraries);
    unique_strings_fini(&dictionary->stacks);
    unique_strings_fini(&dictionary->threads);
    mapped_array_free(&dictionary->path);
    mapped_array_free(&dictionary->packed);
}
