/* The nodes of a .cpuprofile, checked and made stacks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/profile/cpuprofile.h"

/* Beyond that, doubles do not tell microseconds apart. */
#define MAX_US 9007199254740992.0

enum { ROOT = 0, NONE = UINT32_MAX };

static const char root_name[] = "(root)", idle_name[] = "(idle)", anonymous[] = "(anonymous)";

/* What V8 calls what is no function of a script, right below the root. DevTools goes by these names
 * alone, wherever they say that they are. */
static const char *const meta_names[] = { idle_name, "(program)", "(garbage collector)" };

/* Not terminated. */
struct text {
    const char *bytes;
    size_t length;
};

/* Where a node is in the file. */
struct place {
    uint32_t id, index;
};

struct cpuprofile_builder {
    const struct cpuprofile *profile;
    struct thread_tables *tables;
    struct thread_samples *samples;
    struct json_reader *reader;          /* takes the message */
    struct mapped_array places;          /* struct place, by id */
    struct mapped_array parents, stacks; /* uint32_t, by index: the parent's index, and the stack */
    struct mapped_array order;           /* uint32_t: indices, parents before their children */
    uint32_t idle;                       /* the stack of (idle); NONE: there is none */
};

static const struct cpuprofile_node *node_at(const struct cpuprofile_builder *builder, size_t index)
{
    return (const struct cpuprofile_node *)builder->profile->nodes.items + index;
}

/* --- Ids --- */

static bool has_lower_id(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return a->id != b->id ? a->id < b->id : a->index < b->index;
}

static int index_ids(struct cpuprofile_builder *builder)
{
    size_t count = builder->profile->nodes.count;
    int error = mapped_array_reserve(&builder->places, count, sizeof(struct place));
    struct place *places = builder->places.items;

    if (error < 0)
        return error;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){ node_at(builder, i)->id, (uint32_t)i };
    builder->places.count = count;
    mapped_array_sort(&builder->places, sizeof(struct place), has_lower_id);
    for (size_t i = 1; i < count; i++) {
        if (places[i].id == places[i - 1].id)
            return json_reader_refuse(builder->reader, "two nodes have the id %u", places[i].id);
    }
    return 0;
}

static int compare_id(const void *key, const void *element)
{
    uint32_t id = *(const uint32_t *)key, other = ((const struct place *)element)->id;

    return id < other ? -1 : id > other;
}

/* The index of the node called ID, or NONE. */
static uint32_t find_id(const struct cpuprofile_builder *builder, uint32_t id)
{
    const struct place *place = bsearch(&id, builder->places.items, builder->places.count,
                                        sizeof(struct place), compare_id);

    return place != NULL ? place->index : NONE;
}

/* --- The tree --- */

/* CHILD, by its index, is one of PARENT's. IS_SAID_TWICE: both may say so. */
static int set_parent(struct cpuprofile_builder *builder, uint32_t child, uint32_t parent,
                      bool is_said_twice)
{
    uint32_t *known = (uint32_t *)builder->parents.items + child;
    uint32_t id = node_at(builder, child)->id;

    if (child == ROOT)
        return json_reader_refuse(builder->reader, "the first node, %u, is below node %u", id,
                                  node_at(builder, parent)->id);
    if (*known != NONE && (*known != parent || !is_said_twice))
        return json_reader_refuse(builder->reader, "node %u has two parents, %u and %u", id,
                                  node_at(builder, *known)->id, node_at(builder, parent)->id);
    *known = parent;
    return 0;
}

static int take_children(struct cpuprofile_builder *builder, uint32_t parent)
{
    const struct cpuprofile_node *node = node_at(builder, parent);
    const uint32_t *ids =
        (const uint32_t *)builder->profile->children.items + node->first_child_place;
    int error = 0;

    for (uint32_t i = 0; i < node->child_count && error == 0; i++) {
        uint32_t child = find_id(builder, ids[i]);
        error = child != NONE ? set_parent(builder, child, parent, false)
                              : json_reader_refuse(builder->reader,
                                                   "node %u has a child %u, which does not exist",
                                                   node->id, ids[i]);
    }
    return error;
}

static int take_parent(struct cpuprofile_builder *builder, uint32_t child)
{
    const struct cpuprofile_node *node = node_at(builder, child);

    if (node->parent_id == 0)
        return 0;
    uint32_t parent = find_id(builder, node->parent_id);
    return parent != NONE ? set_parent(builder, child, parent, true)
                          : json_reader_refuse(builder->reader,
                                               "node %u has the parent %u, which does not exist",
                                               node->id, node->parent_id);
}

static int find_parents(struct cpuprofile_builder *builder)
{
    uint32_t count = (uint32_t)builder->profile->nodes.count;
    int error = mapped_array_reserve(&builder->parents, count, sizeof(uint32_t));

    if (error < 0)
        return error;
    memset(builder->parents.items, 0xff, count * sizeof(uint32_t)); /* NONE */
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = take_children(builder, i);
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = take_parent(builder, i);
    return error;
}

/* Appends INDEX and those above it that are not there yet, the outermost first. A way up that is
 * longer than there are nodes goes in a circle. */
static int put_in_order(struct cpuprofile_builder *builder, uint32_t index)
{
    const uint32_t *parents = builder->parents.items;
    uint32_t *stacks = builder->stacks.items, *order = builder->order.items;
    size_t depth = 0, room = builder->profile->nodes.count - builder->order.count;

    for (uint32_t i = index; stacks[i] == NONE; i = parents[i]) {
        if (depth++ == room || (i != ROOT && parents[i] == NONE))
            return json_reader_refuse(builder->reader, "node %u is not below the first node",
                                      node_at(builder, index)->id);
        if (i == ROOT)
            break;
    }
    size_t first = builder->order.count;
    builder->order.count += depth;
    for (uint32_t i = index; depth > 0; i = parents[i]) {
        order[first + --depth] = i;
        stacks[i] = (uint32_t)(first + depth);
    }
    return 0;
}

/* Parents before children, and else as in the file. */
static int order_nodes(struct cpuprofile_builder *builder)
{
    uint32_t count = (uint32_t)builder->profile->nodes.count;
    int error = mapped_array_reserve(&builder->stacks, count, sizeof(uint32_t));

    if (error == 0)
        error = mapped_array_reserve(&builder->order, count, sizeof(uint32_t));
    if (error < 0)
        return error;
    memset(builder->stacks.items, 0xff, count * sizeof(uint32_t)); /* NONE */
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = put_in_order(builder, i);
    return error;
}

/* --- Stacks --- */

static bool is_meta(const struct text *function)
{
    for (size_t i = 0; i < sizeof(meta_names) / sizeof(meta_names[0]); i++) {
        if (function->length == strlen(meta_names[i]) &&
            memcmp(function->bytes, meta_names[i], function->length) == 0)
            return true;
    }
    return false;
}

static struct text text_at(const struct unique_strings *texts, uint32_t index)
{
    struct text text;

    text.bytes = unique_strings_get(texts, index, &text.length);
    return text;
}

/* " (url:line:column)", as Gecko profiles have functions of scripts, or nothing; DevTools, too,
 * calls scripts without a URL VM and their number. */
static void put_source(const struct cpuprofile_builder *builder, const struct cpuprofile_node *node,
                       FILE *out)
{
    struct text url = text_at(&builder->profile->texts, node->url);
    struct text script = text_at(&builder->profile->scripts, node->script);
    const struct text *source = url.length > 0 ? &url : &script;

    if (url.length == 0 && node->line == 0)
        return;
    fputs(node->line == 0 ? " (in " : " (", out);
    fputs(url.length == 0 ? "VM" : "", out);
    fwrite(source->bytes, 1, source->length, out);
    if (node->line != 0)
        fprintf(out, ":%u", node->line);
    if (node->line != 0 && node->column != 0)
        fprintf(out, ":%u", node->column);
    putc(')', out);
}

/* The name of NODE, of LENGTH, which takes free(). NULL: no memory. */
static char *make_name(const struct cpuprofile_builder *builder, const struct cpuprofile_node *node,
                       bool is_outermost, size_t *length)
{
    struct text function = text_at(&builder->profile->texts, node->function);
    char *name = NULL;
    FILE *out = open_memstream(&name, length);

    if (out == NULL)
        return NULL;
    if (function.length == 0)
        function = (struct text){ anonymous, strlen(anonymous) };
    fwrite(function.bytes, 1, function.length, out);
    if (!is_outermost || !is_meta(&function))
        put_source(builder, node, out);
    bool is_whole = ferror(out) == 0;
    if (fclose(out) == 0 && is_whole)
        return name;
    free(name);
    return NULL;
}

/* The name of the node at INDEX, of LENGTH, which takes free(). NULL: no memory. */
static char *name_at(const struct cpuprofile_builder *builder, uint32_t index, bool is_outermost,
                     size_t *length)
{
    if (index != ROOT)
        return make_name(builder, node_at(builder, index), is_outermost, length);
    *length = strlen(root_name);
    return strdup(root_name);
}

/* Children of the root are outermost. */
static int add_stack(struct cpuprofile_builder *builder, uint32_t index)
{
    const struct cpuprofile_node *node = node_at(builder, index);
    uint32_t parent = ((const uint32_t *)builder->parents.items)[index];
    bool is_outermost = index == ROOT || parent == ROOT;
    size_t length;
    char *name = name_at(builder, index, is_outermost, &length);

    if (name == NULL)
        return -ENOMEM;
    if (is_outermost && length == strlen(idle_name) && strcmp(name, idle_name) == 0)
        builder->idle = (uint32_t)builder->tables->stacks.count;
    int error = thread_tables_add_node(
        builder->tables,
        &(struct table_node){
            .location = name,
            .length = length,
            .prefix = is_outermost ? TABLE_NONE : ((const uint32_t *)builder->stacks.items)[parent],
            .script = node->script,
            .id = node->id,
        });
    free(name);
    return error;
}

static int add_stacks(struct cpuprofile_builder *builder)
{
    const uint32_t *order = builder->order.items;
    int error = 0;

    for (size_t i = 0; i < builder->order.count && error == 0; i++)
        error = add_stack(builder, order[i]);
    return error;
}

/* --- Samples --- */

static int add_sample(struct cpuprofile_builder *builder, size_t place, double time_us)
{
    uint32_t id = ((const uint32_t *)builder->profile->samples.items)[place];
    uint32_t index = find_id(builder, id);
    struct profile_sample *sample;

    if (index == NONE)
        return json_reader_refuse(builder->reader, "sample %zu is of node %u, which does not exist",
                                  place + 1, id);
    if (!(time_us > -MAX_US && time_us < MAX_US))
        return json_reader_refuse(builder->reader, "the time of sample %zu is out of range",
                                  place + 1);
    sample = mapped_array_push(&builder->samples->samples, sizeof(*sample));
    if (sample == NULL)
        return -ENOMEM;
    uint32_t stack = ((const uint32_t *)builder->stacks.items)[index];
    *sample = (struct profile_sample){ .time_ms = time_us / US_PER_MS,
                                       .stack = stack,
                                       .is_active = stack != builder->idle };
    return 0;
}

static int add_samples(struct cpuprofile_builder *builder)
{
    const double *deltas = builder->profile->deltas.items;
    double time_us = 0;
    int error = 0;

    for (size_t i = 0; i < builder->profile->samples.count && error == 0; i++) {
        time_us += deltas[i];
        error = add_sample(builder, i, time_us);
    }
    return error;
}

/* --- The whole --- */

static int check_members(const struct cpuprofile *profile, struct json_reader *reader)
{
    if (profile->nodes.count == 0)
        return json_reader_refuse(reader, "a .cpuprofile without \"nodes\"");
    if (!profile->has[CPUPROFILE_SAMPLES])
        return json_reader_refuse(reader, "a .cpuprofile without \"samples\"");
    if (profile->samples.count != profile->deltas.count)
        return json_reader_refuse(reader,
                                  "a .cpuprofile with %zu \"samples\" and %zu \"timeDeltas\"",
                                  profile->samples.count, profile->deltas.count);
    return 0;
}

int cpuprofile_settle(const struct cpuprofile *profile, struct thread_tables *tables,
                      struct thread_samples *samples, struct json_reader *reader)
{
    struct cpuprofile_builder builder = {
        .profile = profile, .tables = tables, .samples = samples, .reader = reader, .idle = NONE
    };
    int error = check_members(profile, reader);

    if (error == 0)
        error = index_ids(&builder);
    if (error == 0)
        error = find_parents(&builder);
    if (error == 0)
        error = order_nodes(&builder);
    if (error == 0)
        error = add_stacks(&builder);
    if (error == 0)
        error = add_samples(&builder);
    mapped_array_free(&builder.places);
    mapped_array_free(&builder.parents);
    mapped_array_free(&builder.stacks);
    mapped_array_free(&builder.order);
    return error;
}
