#include "profctl/push/otlp_resource.h"

#include <string.h>

#include "profctl/push/otlp.pb-c.h"
#include "profctl/push/packed_message.h"
#include "profctl/push/push_utf8.h"

enum { ATTRIBUTES_MAX = PUSH_FIELDS + LABELS_MAX };

struct attributes {
    Otlp__KeyValue pairs[ATTRIBUTES_MAX], *list[ATTRIBUTES_MAX];
    Otlp__AnyValue values[ATTRIBUTES_MAX];
    char keys[ATTRIBUTES_MAX][LABEL_KEY_BYTES], texts[ATTRIBUTES_MAX][LABEL_VALUE_BYTES];
    size_t count;
};

/* Where KEY is, or the place for it behind all others. */
static size_t find_attribute(const struct attributes *all, const char *key)
{
    size_t i = 0;

    while (i < all->count && strcmp(all->keys[i], key) != 0)
        i++;
    return i;
}

static void set_attribute(struct attributes *all, const char *key, size_t key_length,
                          const struct push_text *value)
{
    char name[LABEL_KEY_BYTES];

    if (value->length == 0)
        return;
    push_utf8_copy(name, sizeof(name), key, key_length);
    size_t i = find_attribute(all, name);
    push_utf8_copy(all->texts[i], LABEL_VALUE_BYTES, value->bytes, value->length);
    if (i < all->count)
        return;
    memcpy(all->keys[i], name, sizeof(name));
    otlp__any_value__init(&all->values[i]);
    otlp__key_value__init(&all->pairs[i]);
    all->values[i].string_value = all->texts[i];
    all->pairs[i].key = all->keys[i];
    all->pairs[i].value = &all->values[i];
    all->list[i] = &all->pairs[i];
    all->count++;
}

int otlp_resource_append(const struct push_source *source, struct mapped_array *out)
{
    static const char *const names[PUSH_FIELDS] = {
        [PUSH_SERVICE] = "service.name",
        [PUSH_HOST] = "host.name",
        [PUSH_PROGRAM] = "process.executable.name",
        [PUSH_VERSION] = "service.version",
        [PUSH_BUILD_ID] = "process.executable.build_id.gnu",
        [PUSH_KIND] = "process.title",
    };
    struct attributes attributes = { .count = 0 };
    Otlp__Resource resource = OTLP__RESOURCE__INIT;
    Otlp__ResourceProfiles part = OTLP__RESOURCE_PROFILES__INIT;

    for (int i = 0; i < PUSH_FIELDS; i++)
        if (names[i] != NULL)
            set_attribute(&attributes, names[i], strlen(names[i]), &source->fields[i]);
    for (size_t i = 0; i < source->labels; i++)
        set_attribute(&attributes, source->keys[i].bytes, source->keys[i].length,
                      &source->values[i]);
    resource.n_attributes = attributes.count;
    resource.attributes = attributes.list;
    part.resource = &resource;
    return packed_message_append(out, &part.base);
}
