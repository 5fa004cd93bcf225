#include "child-agent/markers/site.h"

#include <stddef.h>

#include "child-agent/guest/named_mutex.h"
#include "child-agent/markers/category.h"
#include "child-agent/markers/marker_type.h"

static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(SITES);
static uint32_t last_index;

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static uint32_t register_locked(struct profd_site *site)
{
    if (site->id >> SITE_INDEX_BITS == core_epoch)
        return site->id & SITE_INDEX_MASK;
    if (!core_local.has_arena || last_index == SITE_INDEX_MASK)
        return 0;
    struct dictionary_site record = {
        .id = last_index + 1,
        .category = category_register(category_number(site->category)),
        .line = site->line,
        .name = text_or_empty(site->name),
        .function = text_or_empty(site->function),
        .file = text_or_empty(site->file),
    };
    uint32_t type = 0;
    if (site->type != NULL && (type = marker_type_register(site->type)) == 0)
        return 0;
    if (dictionary_put_site(&core.dictionary, &record) < 0 ||
        (type != 0 && dictionary_put_site_type(&core.dictionary, record.id, type) < 0) ||
        (site->column_plus_1 != 0 &&
         dictionary_put_site_frame(&core.dictionary, record.id, site->column_plus_1 - 1) < 0))
        return 0;
    last_index++;
    site->id = core_epoch << SITE_INDEX_BITS | last_index;
    return last_index;
}

uint32_t site_register(struct profd_site *site)
{
    named_mutex_lock(&lock);
    uint32_t index = register_locked(site);
    named_mutex_unlock(&lock);
    return index;
}

uint32_t site_category_number(uintptr_t category)
{
    uint32_t number;
    if (category_has_number(category, &number))
        return number;
    named_mutex_lock(&lock);
    number = category_number(category);
    named_mutex_unlock(&lock);
    return number;
}

bool site_table_is_free(void)
{
    return named_mutex_is_free_in_handler(&lock);
}

void site_before_fork(void)
{
    named_mutex_lock(&lock);
}

void site_after_fork_parent(void)
{
    named_mutex_unlock(&lock);
}

void site_unlock_in_child(void)
{
    named_mutex_reset(&lock);
}

void site_after_fork_child(void)
{
    last_index = 0;
    category_after_fork_child();
    marker_type_after_fork_child();
}
