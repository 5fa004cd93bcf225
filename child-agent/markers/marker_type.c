#include "child-agent/markers/marker_type.h"

#include <stdio.h>
#include <string.h>

#include "buffer/clock.h"
#include "buffer/marker_schema.h"
#include "child-agent/core.h"
#include "child-agent/guest/say.h"
#include "child-agent/markers/site.h"
#include "json/gecko/marker_label.h"

#define X(name, number, text, representation)                                                      \
    _Static_assert((int)PROFD_FORMAT_##name == number, "the program's formats are the arena's");
MARKER_FORMATS(X)
#undef X

#define SAME_PLACE(ours, theirs)                                                                   \
    _Static_assert((int)(ours) == (int)(theirs), "the program's places are the arena's")
SAME_PLACE(PROFD_IN_MARKER_CHART, MARKER_PLACE_CHART);
SAME_PLACE(PROFD_IN_MARKER_TABLE, MARKER_PLACE_TABLE);
SAME_PLACE(PROFD_IN_TIMELINE_OVERVIEW, MARKER_PLACE_OVERVIEW);
SAME_PLACE(PROFD_IN_TIMELINE_MEMORY, MARKER_PLACE_MEMORY);
SAME_PLACE(PROFD_IN_TIMELINE_IPC, MARKER_PLACE_IPC);
SAME_PLACE(PROFD_IN_TIMELINE_FILE_IO, MARKER_PLACE_FILE_IO);
SAME_PLACE(PROFD_IN_STACK_CHART, MARKER_PLACE_STACK_CHART);

enum { LINE_BYTES = 512 };

static uint32_t last_index;

static struct arena_string view_of_text(const char *text)
{
    return (struct arena_string){ text, text != NULL ? strlen(text) : 0 };
}

static void describe_type(const struct profd_marker_type *type, struct marker_schema *out)
{
    *out = (struct marker_schema){
        .name = view_of_text(type->name),
        .chart_label = view_of_text(type->chart_label),
        .table_label = view_of_text(type->table_label),
        .tooltip_label = view_of_text(type->tooltip_label),
        .colour_field = view_of_text(type->colour_field),
        .places = type->places != 0 ? type->places : MARKER_PLACE_CHART | MARKER_PLACE_TABLE,
        .is_stack_based = type->is_stack_based != 0 && type->is_stack_based != PROFD_TASKS,
        .is_task = (type->is_stack_based & PROFD_TASKS) != 0,
        .field_count = type->field_count,
    };
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct profd_marker_field *field = &type->fields[i];
        enum marker_format format = (enum marker_format)field->format;
        bool is_text = marker_representation(format) == MARKER_TEXT;
        out->fields[i] = (struct marker_field){
            .format = format,
            .flags = is_text ? MARKER_FIELD_SEARCHABLE : 0,
            .key = view_of_text(field->key),
            .label = view_of_text(field->label),
        };
    }
}

/* A mistake that the compiler let pass: counted, and in the profile's log. The first is said as
 * well, and not again by every child. */
static void report_mistake(const struct marker_schema *schema, const char *what,
                           struct arena_string text)
{
    static bool was_said;
    char line[LINE_BYTES];
    arena_count_drop(&core.arena, DROP_MARKER_LABELS, 1);
    snprintf(line, sizeof(line), "marker type %.*s: its %s \"%.*s\" %s; it is omitted",
             (int)schema->name.length, schema->name.bytes, what, (int)text.length, text.bytes,
             text.bytes == schema->colour_field.bytes
                 ? "is not one of its strings"
                 : "refers to a field that the type does not have");
    (void)dictionary_put_log(&core.dictionary, clock_monotonic_ns(), line); /* counted when full */
    if (!was_said)
        say("%s", line);
    was_said = true;
}

static void check_labels(const struct marker_schema *schema)
{
    if (!marker_label_is_valid(schema->chart_label, schema))
        report_mistake(schema, "chart label", schema->chart_label);
    if (!marker_label_is_valid(schema->table_label, schema))
        report_mistake(schema, "table label", schema->table_label);
    if (!marker_label_is_valid(schema->tooltip_label, schema))
        report_mistake(schema, "tooltip label", schema->tooltip_label);
    if (!marker_colour_is_valid(schema->colour_field, schema))
        report_mistake(schema, "colour field", schema->colour_field);
}

uint32_t marker_type_register(struct profd_marker_type *type)
{
    struct marker_schema schema;
    uint8_t bytes[MARKER_SCHEMA_MAX_BYTES];
    size_t byte_count;
    if (type->id >> SITE_INDEX_BITS == core_epoch)
        return type->id & SITE_INDEX_MASK;
    if (type->field_count > MARKER_MAX_FIELDS) {
        arena_count_drop(&core.arena, DROP_DICTIONARY_FULL, 1);
        return 0;
    }
    describe_type(type, &schema);
    if (marker_schema_encode(&schema, bytes, sizeof(bytes), &byte_count) < 0) {
        arena_count_drop(&core.arena, DROP_DICTIONARY_FULL, 1);
        return 0;
    }
    if (dictionary_put_marker_type(&core.dictionary, last_index + 1, bytes, byte_count) < 0)
        return 0;
    check_labels(&schema);
    type->id = core_epoch << SITE_INDEX_BITS | ++last_index;
    return last_index;
}

void marker_type_after_fork_child(void)
{
    last_index = 0;
}
