#include "daemon/children/process_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "common/process_stat.h"
#include "common/time_units.h"

enum {
    FIRST_CAPACITY = 256,
    /* Parents have lower pids than their children but for those whose pids began anew. */
    MARK_PASSES = 16,
    LEAD_READINGS = 3,
};

static void settle_sighting(const struct process_stat *stat, uint64_t clock_ticks, uint64_t boot_ns,
                            struct process_sighting *out)
{
    uint64_t start_ns = stat->start_ticks * (NS_PER_S / clock_ticks);

    *out = (struct process_sighting){
        .pid = stat->pid,
        .parent_pid = stat->parent_pid,
        .state = stat->state,
        .start_ns = start_ns > boot_ns ? start_ns - boot_ns : 0,
    };
}

bool process_stat_parse(const char *text, uint64_t clock_ticks, uint64_t boot_ns,
                        struct process_sighting *out)
{
    struct process_stat stat;

    if (!process_stat_of_text(text, &stat))
        return false;
    settle_sighting(&stat, clock_ticks, boot_ns, out);
    return true;
}

/* By how much CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC, in whole ticks of /proc, so that a
 * process has the same start at each look. The clocks are read one after the other: monotonic time
 * first, so that no difference is negative, and several times, since the smallest difference is the
 * truest.
 */
static uint64_t boot_clock_lead_ns(uint64_t clock_ticks)
{
    uint64_t lead_ns = UINT64_MAX;

    for (int reading = 0; reading < LEAD_READINGS; reading++) {
        uint64_t monotonic_ns = clock_read_ns(CLOCK_MONOTONIC);
        uint64_t difference_ns = clock_read_ns(CLOCK_BOOTTIME) - monotonic_ns;
        lead_ns = difference_ns < lead_ns ? difference_ns : lead_ns;
    }
    return lead_ns - lead_ns % (NS_PER_S / clock_ticks);
}

bool process_sight(pid_t pid, struct process_sighting *out)
{
    struct process_stat stat;

    if (!process_stat_read(pid, &stat))
        return false;
    uint64_t clock_ticks = (uint64_t)sysconf(_SC_CLK_TCK);
    settle_sighting(&stat, clock_ticks, boot_clock_lead_ns(clock_ticks), out);
    return true;
}

static int append_sighting(struct process_list *list, const struct process_sighting *sighting)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? FIRST_CAPACITY : list->capacity * 2;
        struct process_sighting *items = reallocarray(list->items, capacity, sizeof(*items));
        if (items == NULL)
            return -ENOMEM;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *sighting;
    return 0;
}

static int compare_pids(const void *a, const void *b)
{
    const struct process_sighting *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

int process_list_read(struct process_list *list, bool (*is_known)(pid_t pid, void *context),
                      void *context)
{
    const struct dirent *entry;
    int error = 0;

    *list = (struct process_list){ 0 };
    DIR *folder = opendir("/proc");
    if (folder == NULL)
        return -errno;
    while (error == 0 && (entry = readdir(folder)) != NULL) {
        struct process_sighting sighting = { .pid = (pid_t)strtol(entry->d_name, NULL, 10) };
        if (sighting.pid <= 0)
            continue;
        sighting.is_ours = is_known(sighting.pid, context);
        if (sighting.is_ours || process_sight(sighting.pid, &sighting))
            error = append_sighting(list, &sighting);
    }
    closedir(folder);
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare_pids);
    return error;
}

void process_list_free(struct process_list *list)
{
    free(list->items);
    *list = (struct process_list){ 0 };
}

static bool is_marked(const struct process_list *list, pid_t pid)
{
    const struct process_sighting key = { .pid = pid };
    const struct process_sighting *found =
        list->count == 0 ? NULL
                         : bsearch(&key, list->items, list->count, sizeof(key), compare_pids);
    return found != NULL && found->is_ours;
}

void process_list_mark(struct process_list *list, pid_t root)
{
    bool is_changed = true;

    for (int pass = 0; is_changed && pass < MARK_PASSES; pass++) {
        is_changed = false;
        for (size_t i = 0; i < list->count; i++) {
            struct process_sighting *item = &list->items[i];
            if (item->is_ours || (item->parent_pid != root && !is_marked(list, item->parent_pid)))
                continue;
            item->is_ours = is_changed = true;
        }
    }
}
