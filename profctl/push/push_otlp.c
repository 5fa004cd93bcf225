#include "profctl/push/push_otlp.h"

#include <errno.h>

#include "common/time_units.h"
#include "profctl/export/batch_add.h"
#include "profctl/json_sinks.h"
#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/otlp_resource.h"
#include "profctl/push/packed_message.h"
#include "profctl/push/push_values.h"

/* Appends what ROW has of VALUE to PROFILE, as a part of it; nothing where it has none. */
static int add_sample(struct push_otlp *otlp, const struct push_row *row, enum push_value value,
                      struct mapped_array *profile)
{
    uint32_t stack = sum_table_key(&otlp->rows->sums, row->row).stack;
    int64_t number = push_value_of(sum_table_sums(&otlp->rows->sums, row->row), value);
    Otlp__Sample sample = OTLP__SAMPLE__INIT, *samples[] = { &sample };
    Otlp__Profile part = OTLP__PROFILE__INIT;

    if (number == 0)
        return 0;
    int32_t thread = otlp_dictionary_thread(&otlp->dictionary, &row->thread);
    int error = otlp_dictionary_stack(&otlp->dictionary, otlp->rows, stack, &sample.stack_index);
    sample.n_attribute_indices = sample.n_values = 1;
    sample.attribute_indices = &thread;
    sample.values = &number;
    part.n_samples = 1;
    part.samples = samples;
    return error < 0 ? error : packed_message_append(profile, &part.base);
}

static int add_samples(struct push_otlp *otlp, const struct push_group *group,
                       enum push_value value, struct mapped_array *profile)
{
    int error = 0;

    for (size_t i = 0; i < group->count && error == 0; i++)
        error = add_sample(otlp, &group->rows[i], value, profile);
    return error;
}

static int add_facts(struct push_otlp *otlp, const struct push_group *group, enum push_value value,
                     uint64_t every_ns, struct mapped_array *profile)
{
    uint64_t id[2] = { batch_random_id(), batch_random_id() };
    Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;
    Otlp__Profile part = OTLP__PROFILE__INIT;

    type.type_strindex = otlp_dictionary_word(&otlp->dictionary, push_value_names[value].type);
    type.unit_strindex = otlp_dictionary_word(&otlp->dictionary, push_value_names[value].unit);
    part.sample_type = &type;
    part.time_unix_nano = (uint64_t)group->minute_s * NS_PER_S;
    part.duration_nano = every_ns;
    part.profile_id = (ProtobufCBinaryData){ sizeof(id), (uint8_t *)id };
    return packed_message_append(profile, &part.base);
}

enum { PROFILES_FIELD = 2, SCOPES_FIELD = 2, RESOURCES_FIELD = 1, DICTIONARY_FIELD = 2 };

static int add_profiles(struct push_otlp *otlp, const struct push_group *group, uint64_t every_ns,
                        struct mapped_array *scope)
{
    struct mapped_array profile = { 0 };
    int error = 0;

    for (int value = 0; value < PUSH_VALUES && error == 0; value++) {
        profile.count = 0;
        error = add_samples(otlp, group, (enum push_value)value, &profile);
        if (error < 0 || profile.count == 0)
            continue;
        error = add_facts(otlp, group, (enum push_value)value, every_ns, &profile);
        if (error == 0)
            error = packed_message_append_field(scope, PROFILES_FIELD, &profile);
    }
    mapped_array_free(&profile);
    return error;
}

static int add_scope(struct mapped_array *out)
{
    Otlp__Scope scope = OTLP__SCOPE__INIT;
    Otlp__ScopeProfiles part = OTLP__SCOPE_PROFILES__INIT;
    char name[] = "profd", version[] = PROFD_VERSION;

    scope.name = name;
    scope.version = version;
    part.scope = &scope;
    return packed_message_append(out, &part.base);
}

int push_otlp_add(struct push_otlp *otlp, const struct push_group *group, uint64_t every_ns)
{
    struct mapped_array scope = { 0 }, resource = { 0 };
    int error = add_scope(&scope);
    size_t empty = scope.count;

    if (error == 0)
        error = add_profiles(otlp, group, every_ns, &scope);
    if (error == 0 && scope.count > empty) {
        error = otlp_resource_append(&group->source, &resource);
        if (error == 0)
            error = packed_message_append_field(&resource, SCOPES_FIELD, &scope);
        if (error == 0)
            error = packed_message_append_field(&otlp->resources, RESOURCES_FIELD, &resource);
    }
    mapped_array_free(&scope);
    mapped_array_free(&resource);
    return error < 0 ? error : failure_latch_error(&otlp->dictionary.latch);
}

size_t push_otlp_bytes(const struct push_otlp *otlp)
{
    return otlp->resources.count > 0 ? otlp->resources.count + otlp->dictionary.packed.count : 0;
}

/* --- Requests --- */

int push_otlp_finish(struct push_otlp *otlp)
{
    otlp->out.count = 0;
    int error = json_sink_memory(&otlp->out, otlp->resources.items, otlp->resources.count);
    if (error == 0)
        error = packed_message_append_field(&otlp->out, DICTIONARY_FIELD, &otlp->dictionary.packed);
    otlp->resources.count = 0;
    return error < 0 ? error : otlp_dictionary_begin(&otlp->dictionary);
}

int push_otlp_init(struct push_otlp *otlp, const struct export_rows *rows)
{
    *otlp = (struct push_otlp){ .rows = rows };
    return otlp_dictionary_init(&otlp->dictionary);
}

void push_otlp_fini(struct push_otlp *otlp)
{
    otlp_dictionary_fini(&otlp->dictionary);
    mapped_array_free(&otlp->resources);
    mapped_array_free(&otlp->out);
}
