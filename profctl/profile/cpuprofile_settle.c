/* The nodes of a .cpuprofile, checked and made stacks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/profile/cpuprofile.h"

/* Beyond that, doubles do not tell microseconds apart. */
#define MOST_US 9007199254740992.0

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

struct settling {
    const struct cpuprofile *profile;
    struct thread_tables *tables;
    struct thread_samples *samples;
    struct json_reader *reader;          /* takes the message */
    struct mapped_array places;          /* struct place, by id */
    struct mapped_array parents, stacks; /* uint32_t, by index: the parent's index, and the stack */
    struct mapped_array order;           /* uint32_t: indices, parents before their children */
    uint32_t idle;                       /* the stack of (idle); NONE: there is none */
};

static const struct cpuprofile_node *node_at(const struct settling *settling, size_t index)
{
    return (const struct cpuprofile_node *)settling->profile->nodes.items + index;
}

/* --- Ids --- */

static bool has_lower_id(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return a->id != b->id ? a->id < b->id : a->index < b->index;
}

static int index_ids(struct settling *settling)
{
    size_t count = settling->profile->nodes.count;
    int error = mapped_array_reserve(&settling->places, count, sizeof(struct place));
    struct place *places = settling->places.items;

    if (error < 0)
        return error;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){ node_at(settling, i)->id, (uint32_t)i };
    settling->places.count = count;
    mapped_array_sort(&settling->places, sizeof(struct place), has_lower_id);
    for (size_t i = 1; i < count; i++) {
        if (places[i].id == places[i - 1].id)
            return json_reader_refuse(settling->reader, "two nodes have the id %u", places[i].id);
    }
    return 0;
}

static int compare_id(const void *key, const void *element)
{
    uint32_t id = *(const uint32_t *)key, other = ((const struct place *)element)->id;

    return id < other ? -1 : id > other;
}

/* The index of the node called ID, or NONE. */
static uint32_t find_id(const struct settling *settling, uint32_t id)
{
    const struct place *place = bsearch(&id, settling->places.items, settling->places.count,
                                        sizeof(struct place), compare_id);

    return place != NULL ? place->index : NONE;
}

/* --- The tree --- */

/* CHILD, by its index, is one of PARENT's. IS_SAID_TWICE: both may say so. */
static int set_parent(struct settling *settling, uint32_t child, uint32_t parent,
                      bool is_said_twice)
{
    uint32_t *known = (uint32_t *)settling->parents.items + child;
    uint32_t id = node_at(settling, child)->id;

    if (child == ROOT)
        return json_reader_refuse(settling->reader, "the first node, %u, is below node %u", id,
                                  node_at(settling, parent)->id);
    if (*known != NONE && (*known != parent || !is_said_twice))
        return json_reader_refuse(settling->reader, "node %u has two parents, %u and %u", id,
                                  node_at(settling, *known)->id, node_at(settling, parent)->id);
    *known = parent;
    return 0;
}

static int take_children(struct settling *settling, uint32_t parent)
{
    const struct cpuprofile_node *node = node_at(settling, parent);
    const uint32_t *ids =
        (const uint32_t *)settling->profile->children.items + node->first_child_place;
    int error = 0;

    for (uint32_t i = 0; i < node->child_count && error == 0; i++) {
        uint32_t child = find_id(settling, ids[i]);
        error = child != NONE ? set_parent(settling, child, parent, false)
                              : json_reader_refuse(settling->reader,
                                                   "node %u has a child %u, which does not exist",
                                                   node->id, ids[i]);
    }
    return error;
}

static int take_parent(struct settling *settling, uint32_t child)
{
    const struct cpuprofile_node *node = node_at(settling, child);

    if (node->parent_id == 0)
        return 0;
    uint32_t parent = find_id(settling, node->parent_id);
    return parent != NONE ? set_parent(settling, child, parent, true)
                          : json_reader_refuse(settling->reader,
                                               "node %u has the parent %u, which does not exist",
                                               node->id, node->parent_id);
}

static int find_parents(struct settling *settling)
{
    uint32_t count = (uint32_t)settling->profile->nodes.count;
    int error = mapped_array_reserve(&settling->parents, count, sizeof(uint32_t));

    if (error < 0)
        return error;
    memset(settling->parents.items, 0xff, count * sizeof(uint32_t)); /* NONE */
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = take_children(settling, i);
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = take_parent(settling, i);
    return error;
}

/* Appends INDEX and those above it that are not there yet, the outermost first. A way up that is
 * longer than there are nodes goes in a circle. */
static int put_in_order(struct settling *settling, uint32_t index)
{
    const uint32_t *parents = settling->parents.items;
    uint32_t *stacks = settling->stacks.items, *order = settling->order.items;
    size_t depth = 0, room = settling->profile->nodes.count - settling->order.count;

    for (uint32_t i = index; stacks[i] == NONE; i = parents[i]) {
        if (depth++ == room || (i != ROOT && parents[i] == NONE))
            return json_reader_refuse(settling->reader, "node %u is not below the first node",
                                      node_at(settling, index)->id);
        if (i == ROOT)
            break;
    }
    size_t first = settling->order.count;
    settling->order.count += depth;
    for (uint32_t i = index; depth > 0; i = parents[i]) {
        order[first + --depth] = i;
        stacks[i] = (uint32_t)(first + depth);
    }
    return 0;
}

/* Parents before children, and else as in the file. */
static int order_nodes(struct settling *settling)
{
    uint32_t count = (uint32_t)settling->profile->nodes.count;
    int error = mapped_array_reserve(&settling->stacks, count, sizeof(uint32_t));

    if (error == 0)
        error = mapped_array_reserve(&settling->order, count, sizeof(uint32_t));
    if (error < 0)
        return error;
    memset(settling->stacks.items, 0xff, count * sizeof(uint32_t)); /* NONE */
    for (uint32_t i = 0; i < count && error == 0; i++)
        error = put_in_order(settling, i);
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
static void put_source(const struct settling *settling, const struct cpuprofile_node *node,
                       FILE *out)
{
    struct text url = text_at(&settling->profile->texts, node->url);
    struct text script = text_at(&settling->profile->scripts, node->script);
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
static char *make_name(const struct settling *settling, const struct cpuprofile_node *node,
                       bool is_outermost, size_t *length)
{
    struct text function = text_at(&settling->profile->texts, node->function);
    char *name = NULL;
    FILE *out = open_memstream(&name, length);

    if (out == NULL)
        return NULL;
    if (function.length == 0)
        function = (struct text){ anonymous, strlen(anonymous) };
    fwrite(function.bytes, 1, function.length, out);
    if (!is_outermost || !is_meta(&function))
        put_source(settling, node, out);
    bool is_whole = ferror(out) == 0;
    if (fclose(out) == 0 && is_whole)
        return name;
    free(name);
    return NULL;
}

/* The name of the node at INDEX, of LENGTH, which takes free(). NULL: no memory. */
static char *name_at(const struct settling *settling, uint32_t index, bool is_outermost,
                     size_t *length)
{
    if (index != ROOT)
        return make_name(settling, node_at(settling, index), is_outermost, length);
    *length = strlen(root_name);
    return strdup(root_name);
}

/* Children of the root are outermost. */
static int add_stack(struct settling *settling, uint32_t index)
{
    const struct cpuprofile_node *node = node_at(settling, index);
    uint32_t parent = ((const uint32_t *)settling->parents.items)[index];
    bool is_outermost = index == ROOT || parent == ROOT;
    size_t length;
    char *name = name_at(settling, index, is_outermost, &length);

    if (name == NULL)
        return -ENOMEM;
    if (is_outermost && length == strlen(idle_name) && strcmp(name, idle_name) == 0)
        settling->idle = (uint32_t)settling->tables->stacks.count;
    int error = thread_tables_add_node(
        settling->tables,
        &(struct table_node){
            .location = name,
            .length = length,
            .prefix =
                is_outermost ? TABLE_NONE : ((const uint32_t *)settling->stacks.items)[parent],
            .script = node->script,
            .id = node->id,
        });
    free(name);
    return error;
}

static int add_stacks(struct settling *settling)
{
    const uint32_t *order = settling->order.items;
    int error = 0;

    for (size_t i = 0; i < settling->order.count && error == 0; i++)
        error = add_stack(settling, order[i]);
    return error;
}

/* --- Samples --- */

static int add_sample(struct settling *settling, size_t place, double time_us)
{
    uint32_t id = ((const uint32_t *)settling->profile->samples.items)[place];
    uint32_t index = find_id(settling, id);
    struct profile_sample *sample;

    if (index == NONE)
        return json_reader_refuse(settling->reader,
                                  "sample %zu is of node %u, which does not exist", place + 1, id);
    if (!(time_us > -MOST_US && time_us < MOST_US))
        return json_reader_refuse(settling->reader, "the time of sample %zu is out of range",
                                  place + 1);
    sample = mapped_array_push(&settling->samples->samples, sizeof(*sample));
    if (sample == NULL)
        return -ENOMEM;
    uint32_t stack = ((const uint32_t *)settling->stacks.items)[index];
    *sample = (struct profile_sample){ .time_ms = time_us / US_PER_MS,
                                       .stack = stack,
                                       .is_active = stack != settling->idle };
    return 0;
}

static int add_samples(struct settling *settling)
{
    const double *deltas = settling->profile->deltas.items;
    double time_us = 0;
    int error = 0;

    for (size_t i = 0; i < settling->profile->samples.count && error == 0; i++) {
        time_us += deltas[i];
        error = add_sample(settling, i, time_us);
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
    struct settling settling = {
        .profile = profile, .tables = tables, .samples = samples, .reader = reader, .idle = NONE
    };
    int error = check_members(profile, reader);

    if (error == 0)
        error = index_ids(&settling);
    if (error == 0)
        error = find_parents(&settling);
    if (error == 0)
        error = order_nodes(&settling);
    if (error == 0)
        error = add_stacks(&settling);
    if (error == 0)
        error = add_samples(&settling);
    mapped_array_free(&settling.places);
    mapped_array_free(&settling.parents);
    mapped_array_free(&settling.stacks);
    mapped_array_free(&settling.order);
    return error;
}
