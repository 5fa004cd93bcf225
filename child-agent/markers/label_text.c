/* Labels whose text is made at run time: each kept once, as a site that is never freed.
 *
 * A table of pointers that threads fill without a lock: a site is written first, then put into an
 * empty place by one exchange, or dropped when another thread was there first. */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "child-agent/core.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/guest/pages.h"
#include "child-agent/markers/site.h"
#include "child-agent/recording.h"
#include "child-agent/upcalls.h"
#include "json/hash.h"
#include "profd.h"

enum {
    TEXT_MOST_BYTES = 256, /* with its end */
    MOST_TEXTS = 16384,
    PLACES_PER_TEXT = 2, /* never more than half full */
};

struct kept_label {
    struct profd_site site; /* its name and file are below */
    uint64_t hash;
    char text[TEXT_MOST_BYTES], file[TEXT_MOST_BYTES];
};

struct label_table {
    uint32_t most;             /* labels that there is room for: a power of two */
    _Atomic uint32_t count;    /* of labels begun; may exceed that */
    struct kept_label *labels; /* behind the places */
    _Atomic(struct kept_label *) places[];
};

static _Atomic(struct label_table *) table; /* NULL until the first text */

static size_t places_bytes(uint32_t most)
{
    struct label_table *made;
    return (size_t)most * PLACES_PER_TEXT * sizeof(made->places[0]);
}

static size_t table_bytes(uint32_t most)
{
    return sizeof(struct label_table) + places_bytes(most) + most * sizeof(struct kept_label);
}

/* With room for as many labels as there are addresses for. NULL without memory. */
static struct label_table *make_table(void)
{
    const uint64_t affordable = address_space_within(ADDRESSES_LABELS, table_bytes(MOST_TEXTS));
    uint32_t most = MOST_TEXTS;
    while (most > 1 && table_bytes(most) > affordable)
        most /= 2;
    struct label_table *made = pages_allocate(table_bytes(most));
    if (made == NULL)
        return NULL;
    made->most = most;
    made->labels = (struct kept_label *)(void *)((uint8_t *)made->places + places_bytes(most));
    return made;
}

static struct label_table *get_table(void)
{
    struct label_table *there = atomic_load(&table);
    if (there != NULL)
        return there;
    struct label_table *made = make_table();
    if (made != NULL && !atomic_compare_exchange_strong(&table, &there, made)) {
        pages_free(made, table_bytes(made->most));
        return there;
    }
    return made;
}

static void copy_text(char *out, const char *text)
{
    size_t length = strnlen(text, TEXT_MOST_BYTES - 1);
    memcpy(out, text, length);
    out[length] = '\0';
}

static uint64_t hash_site(const struct profd_site *site)
{
    uint64_t hash = hash_bytes(site->name, strnlen(site->name, TEXT_MOST_BYTES - 1));
    hash = hash_mix(hash, hash_bytes(site->file, strnlen(site->file, TEXT_MOST_BYTES - 1)));
    return hash_mix(hash,
                    hash_mix((uint64_t)site->line << 32 | site->column_plus_1, site->category));
}

static bool is_same(const struct kept_label *label, const struct profd_site *wanted, uint64_t hash)
{
    return label->hash == hash && label->site.line == wanted->line &&
           label->site.column_plus_1 == wanted->column_plus_1 &&
           label->site.category == wanted->category &&
           strncmp(label->text, wanted->name, TEXT_MOST_BYTES - 1) == 0 &&
           strncmp(label->file, wanted->file, TEXT_MOST_BYTES - 1) == 0;
}

/* A new label, which nobody else sees yet; NULL when there are too many. */
static struct kept_label *begin_label(struct label_table *in, const struct profd_site *wanted,
                                      uint64_t hash)
{
    if (atomic_load_explicit(&in->count, memory_order_relaxed) >= in->most)
        return NULL;
    uint32_t index = atomic_fetch_add(&in->count, 1);
    if (index >= in->most)
        return NULL;
    struct kept_label *label = &in->labels[index];
    label->hash = hash;
    copy_text(label->text, wanted->name);
    copy_text(label->file, wanted->file);
    label->site = *wanted;
    label->site.name = label->text;
    label->site.file = label->file;
    return label;
}

static struct profd_site *find_or_add_label(struct label_table *in, const struct profd_site *wanted)
{
    uint64_t hash = hash_site(wanted);
    struct kept_label *made = NULL;
    const size_t last_place = (size_t)in->most * PLACES_PER_TEXT - 1;
    for (size_t at = hash & last_place;; at = (at + 1) & last_place) {
        struct kept_label *there = atomic_load_explicit(&in->places[at], memory_order_acquire);
        if (there == NULL) {
            if (made == NULL)
                made = begin_label(in, wanted, hash);
            if (made == NULL)
                return NULL;
            if (atomic_compare_exchange_strong(&in->places[at], &there, made))
                return &made->site;
        }
        if (is_same(there, wanted, hash))
            return &there->site;
    }
}

static struct profd_site *keep_label(const struct profd_site *wanted)
{
    static struct profd_site too_many = { "(too many labels)",  "", "",   0,
                                          PROFD_CATEGORY_LABEL, 0,  NULL, 0 };
    upcall_end_dormancy();
    struct label_table *in = get_table();
    struct profd_site *site = in != NULL ? find_or_add_label(in, wanted) : NULL;
    if (site != NULL)
        return site;
    if (core_local.recording_generation != 0 && !core_is_forking)
        arena_count_drop(&core.arena, DROP_LABEL_TEXTS, 1);
    return &too_many;
}

struct profd_site *profd_label_text(const char *text, uintptr_t category)
{
    const struct profd_site wanted = {
        .name = text != NULL ? text : "",
        .function = "",
        .file = "",
        .category = site_category_number(category),
    };
    return keep_label(&wanted);
}

struct profd_site *profd_label_frame(const char *function, const char *file, uint32_t line,
                                     uint32_t column, uintptr_t category)
{
    const struct profd_site wanted = {
        .name = function != NULL ? function : "(anonymous)",
        .function = "",
        .file = file != NULL ? file : "",
        .line = line,
        .category = site_category_number(category),
        .column_plus_1 = column < UINT32_MAX ? column + 1 : 1,
    };
    return keep_label(&wanted);
}
