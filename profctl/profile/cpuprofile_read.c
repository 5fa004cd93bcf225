/* The members of a .cpuprofile as they come. */
#include <errno.h>
#include <string.h>

#include "profctl/json_steps.h"
#include "profctl/profile/cpuprofile.h"

static const char *const list_names[CPUPROFILE_LISTS] = {
    [CPUPROFILE_NODES] = "nodes",
    [CPUPROFILE_SAMPLES] = "samples",
    [CPUPROFILE_DELTAS] = "timeDeltas",
};

enum { NO_SCRIPT = 0 };

void cpuprofile_init(struct cpuprofile *profile)
{
    *profile = (struct cpuprofile){ 0 };
    failure_latch_init(&profile->latch);
    unique_strings_init(&profile->texts, &profile->latch);
    unique_strings_init(&profile->scripts, &profile->latch);
}

void cpuprofile_free(struct cpuprofile *profile)
{
    unique_strings_fini(&profile->texts);
    unique_strings_fini(&profile->scripts);
    mapped_array_free(&profile->nodes);
    mapped_array_free(&profile->children);
    mapped_array_free(&profile->samples);
    mapped_array_free(&profile->deltas);
}

/* --- Values --- */

static int refuse_value(struct json_reader *reader, int token, const char *wanted)
{
    return token < 0 ? token : json_reader_refuse(reader, "%s expected", wanted);
}

/* NUMBER as an integer from FIRST to UINT32_MAX - 1. */
static int take_integer(struct json_reader *reader, int token, double first, const char *wanted,
                        double *value)
{
    if (token != JSON_TOKEN_NUMBER)
        return refuse_value(reader, token, wanted);
    *value = json_reader_double(reader);
    if (!(*value >= first && *value < UINT32_MAX) || *value != (double)(int64_t)*value)
        return refuse_value(reader, token, wanted);
    return 0;
}

static int read_id(struct json_reader *reader, int token, uint32_t *id)
{
    double value = 0;
    int error = take_integer(reader, token, 1, "a node's id, from 1 on,", &value);

    *id = error == 0 ? (uint32_t)value : 0;
    return error;
}

/* Lines and columns count from 0; -1: there is none. */
static int read_place(struct json_reader *reader, uint32_t *place)
{
    double value = 0;
    int error = take_integer(reader, json_reader_next(reader), -1, "a line or column", &value);

    *place = error == 0 ? (uint32_t)(value + 1) : 0;
    return error;
}

/* The text of the next value; numbers are texts, too, as some write the ids of scripts. */
static int read_text(struct json_reader *reader, struct unique_strings *texts, uint32_t *index)
{
    int token = json_reader_next(reader), error = 0;
    const char *text;
    size_t length;

    if (token == JSON_TOKEN_STRING)
        error = json_reader_string(reader, &text, &length);
    else if (token == JSON_TOKEN_NUMBER)
        text = json_reader_raw(reader, &length);
    else
        return refuse_value(reader, token, "a text");
    if (error < 0)
        return error;
    *index = unique_strings_add(texts, text, length);
    return *index != UNIQUE_NONE ? 0 : -ENOMEM;
}

static int push_id(struct json_reader *reader, int token, struct mapped_array *ids)
{
    uint32_t id, *place;
    int error = read_id(reader, token, &id);

    if (error < 0)
        return error;
    place = mapped_array_push(ids, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = id;
    return ids->count < UINT32_MAX ? 0 : -E2BIG;
}

static int push_delta(struct json_reader *reader, int token, struct mapped_array *deltas)
{
    if (token != JSON_TOKEN_NUMBER)
        return refuse_value(reader, token, "microseconds");
    double *place = mapped_array_push(deltas, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = json_reader_double(reader);
    return 0;
}

/* Calls PUSH with the token of each element of the next value, which is an array. */
static int read_array(struct json_reader *reader, struct mapped_array *array,
                      int (*push)(struct json_reader *reader, int token,
                                  struct mapped_array *array))
{
    int token = json_reader_next(reader), error = 0;

    if (token != JSON_TOKEN_START_ARRAY)
        return refuse_value(reader, token, "an array");
    while (error == 0 && (token = json_reader_next(reader)) != JSON_TOKEN_END_ARRAY)
        error = push(reader, token, array);
    return error;
}

/* --- Nodes --- */

static int frame_member(struct cpuprofile *profile, struct cpuprofile_node *node,
                        struct json_reader *reader)
{
    if (json_reader_is(reader, "functionName"))
        return read_text(reader, &profile->texts, &node->function);
    if (json_reader_is(reader, "url"))
        return read_text(reader, &profile->texts, &node->url);
    if (json_reader_is(reader, "scriptId"))
        return read_text(reader, &profile->scripts, &node->script);
    if (json_reader_is(reader, "lineNumber"))
        return read_place(reader, &node->line);
    if (json_reader_is(reader, "columnNumber"))
        return read_place(reader, &node->column);
    return json_reader_skip(reader);
}

/* Calls MEMBER behind each key of an object whose start was read. */
static int for_each_member(struct cpuprofile *profile, struct cpuprofile_node *node,
                           struct json_reader *reader,
                           int (*member)(struct cpuprofile *profile, struct cpuprofile_node *node,
                                         struct json_reader *reader))
{
    int error = 0;

    while (json_next_member(reader, &error))
        error = member(profile, node, reader);
    return error;
}

static int node_member(struct cpuprofile *profile, struct cpuprofile_node *node,
                       struct json_reader *reader)
{
    if (json_reader_is(reader, "id"))
        return read_id(reader, json_reader_next(reader), &node->id);
    if (json_reader_is(reader, "parent"))
        return read_id(reader, json_reader_next(reader), &node->parent_id);
    if (json_reader_is(reader, "children")) {
        node->first_child_place = (uint32_t)profile->children.count;
        int error = read_array(reader, &profile->children, push_id);
        node->child_count = (uint32_t)profile->children.count - node->first_child_place;
        return error;
    }
    if (!json_reader_is(reader, "callFrame"))
        return json_reader_skip(reader);
    int token = json_reader_next(reader);
    return token == JSON_TOKEN_START_OBJECT ? for_each_member(profile, node, reader, frame_member)
                                            : refuse_value(reader, token, "a call frame");
}

static int read_node(struct cpuprofile *profile, struct json_reader *reader)
{
    struct cpuprofile_node node = { .function = UNIQUE_NONE, .script = NO_SCRIPT };
    uint32_t nothing = unique_strings_add(&profile->texts, "", 0);
    uint32_t no_script = unique_strings_add(&profile->scripts, "0", 1);
    int error = nothing != UNIQUE_NONE && no_script == NO_SCRIPT ? 0 : -ENOMEM;

    node.url = nothing;
    if (error == 0)
        error = for_each_member(profile, &node, reader, node_member);
    if (error < 0)
        return error;
    if (node.id == 0)
        return json_reader_refuse(reader, "node %zu has no \"id\"", profile->nodes.count + 1);
    if (node.function == UNIQUE_NONE)
        return json_reader_refuse(reader, "node %u has no \"functionName\" in a \"callFrame\"",
                                  node.id);
    struct cpuprofile_node *place = mapped_array_push(&profile->nodes, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = node;
    return profile->nodes.count < UINT32_MAX ? 0 : -E2BIG;
}

static int read_nodes(struct cpuprofile *profile, struct json_reader *reader)
{
    int token = json_reader_next(reader), error = 0;

    if (token != JSON_TOKEN_START_ARRAY)
        return refuse_value(reader, token, "an array");
    while (error == 0 && (token = json_reader_next(reader)) == JSON_TOKEN_START_OBJECT)
        error = read_node(profile, reader);
    if (error < 0)
        return error;
    return token == JSON_TOKEN_END_ARRAY ? 0 : refuse_value(reader, token, "a node");
}

/* --- The whole --- */

bool cpuprofile_has_member(struct json_reader *reader)
{
    for (size_t i = 0; i < CPUPROFILE_LISTS; i++) {
        if (json_reader_is(reader, list_names[i]))
            return true;
    }
    return json_reader_is(reader, "startTime") || json_reader_is(reader, "endTime");
}

static int read_list(struct cpuprofile *profile, enum cpuprofile_member list,
                     struct json_reader *reader)
{
    if (profile->has[list])
        return json_reader_refuse(reader, "it has \"%s\" twice", list_names[list]);
    profile->has[list] = true;
    if (list == CPUPROFILE_NODES)
        return read_nodes(profile, reader);
    return list == CPUPROFILE_SAMPLES ? read_array(reader, &profile->samples, push_id)
                                      : read_array(reader, &profile->deltas, push_delta);
}

int cpuprofile_read_member(struct cpuprofile *profile, struct json_reader *reader)
{
    profile->is_there = true;
    for (int list = 0; list < CPUPROFILE_LISTS; list++) {
        if (json_reader_is(reader, list_names[list]))
            return read_list(profile, (enum cpuprofile_member)list, reader);
    }
    return json_reader_skip(reader); /* when it was: samples tell that, too */
}
