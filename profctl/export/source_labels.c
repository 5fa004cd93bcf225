#include "profctl/export/source_labels.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profctl/export/process_labels.h"

enum { KEYS_MAX = 100, VALUES_MAX = 500, NO_PID = -2 };

void source_labels_init(struct source_labels *source, const struct label_list *all)
{
    const char *host = label_list_get(all, "host");

    *source = (struct source_labels){ .all = *all, .pid = NO_PID };
    if (host != NULL)
        snprintf(source->host, sizeof(source->host), "%s", host);
    else if (gethostname(source->host, sizeof(source->host) - 1) < 0)
        snprintf(source->host, sizeof(source->host), "unknown");
    label_list_remove(&source->all, "host");
    label_bounds_init(&source->bounds, KEYS_MAX, VALUES_MAX);
}

void source_labels_fini(struct source_labels *source)
{
    label_bounds_fini(&source->bounds);
}

void source_labels_forget(struct source_labels *source)
{
    source->pid = NO_PID;
}

/* What is said of a service by its unit, when nobody says more. */
static void set_service_of_unit(struct label_list *labels)
{
    const char *unit = label_list_get(labels, "unit"), *service = "";
    size_t length = 0;

    if (unit != NULL)
        process_labels_service_of_unit(unit, &service, &length);
    if (length > 0)
        (void)label_list_set(labels, "service", strlen("service"), service, length);
}

/* What the kernel shows of the process: its user alone sees the environment, while it lives, and it
 * is that of the last program. Returns whether OWN is the program's; MACHINE may be set all the
 * same. */
static bool look_at_process(const struct exported_process *process, struct label_list *machine,
                            struct label_list *own, size_t *left_out)
{
    struct label_list others = { 0 };
    size_t others_left_out;

    if (process->pid <= 0 || process->end == EXPORTED_ENDED)
        return false;
    if (process->end == EXPORTED_LIVES)
        return process_labels_read(process->pid, process->seen_ns, machine, own, left_out) == 0;
    (void)process_labels_read(process->pid, process->seen_ns, machine, &others, &others_left_out);
    return false;
}

/* One that has gone was of its parent's cgroup, most likely, and had its environment, if the parent
 * lives; but an agent would have told of labels. */
static void look_at_parent(const struct exported_process *process, struct label_list *machine,
                           struct label_list *own, size_t *left_out)
{
    struct label_list others = { 0 };
    size_t others_left_out;

    if (process->pid <= 0 || process->parent_pid <= 0)
        return;
    if (process->has_agent)
        (void)process_labels_read(process->parent_pid, process->seen_ns, machine, &others,
                                  &others_left_out);
    else
        (void)process_labels_read(process->parent_pid, process->seen_ns, machine, own, left_out);
}

/* What the program says of itself. Its agent told it; but only the kernel has what the agent has no
 * room for. How many labels are left out. */
static size_t look_up_own(struct source_labels *source, const struct exported_process *process,
                          struct label_list *own)
{
    struct label_list *machine = &source->labels;
    size_t left_out = 0;
    bool is_read = look_at_process(process, machine, own, &left_out);

    if (!is_read && machine->count == 0)
        look_at_parent(process, machine, own, &left_out);
    if (process->labels == NULL && process->labels_left_out == 0)
        return left_out;
    if (process->labels_left_out > 0 && is_read && own->count > 0)
        return left_out;
    *own = (struct label_list){ 0 };
    return process->labels_left_out +
           (process->labels != NULL ? label_list_take(own, process->labels) : 0);
}

static void collect_labels(struct source_labels *source, const struct exported_process *process)
{
    struct label_list own = { 0 };

    source->pid = process->pid;
    source->seen_ns = process->seen_ns;
    source->later_images = process->later_images;
    source->labels = (struct label_list){ 0 };
    source->left_out += look_up_own(source, process, &own);
    set_service_of_unit(&source->labels);
    source->left_out += label_list_merge(&source->labels, &source->all);
    source->left_out += label_list_merge(&source->labels, &own);
    label_list_remove(&source->labels, "host");
}

static void write_bounded(struct source_labels *source, struct row_writer *columns, const char *key,
                          const char *value)
{
    size_t length = strlen(value);

    value = label_bounds_pass(&source->bounds, key, value, &length);
    row_write_string(columns, value, length);
}

/* The value of a label that has a column of its own. */
static void write_column(struct source_labels *source, struct row_writer *columns, const char *key,
                         const char *otherwise)
{
    const char *value = label_list_get(&source->labels, key);

    write_bounded(source, columns, key, value != NULL ? value : otherwise);
    label_list_remove(&source->labels, key);
}

/* Whoever started the exporter chose few keys; those of processes may be any, and what is beyond
 * the bound is one label together. */
static void fold_keys(struct source_labels *source)
{
    struct label_list few = { 0 };
    bool is_any_folded = false;

    for (size_t i = 0; i < source->labels.count; i++) {
        const struct label *label = &source->labels.labels[i];
        if (label_list_get(&source->all, label->key) != NULL ||
            label_bounds_pass_key(&source->bounds, label->key))
            few.labels[few.count++] = *label;
        else
            is_any_folded = true;
    }
    if (is_any_folded)
        few.labels[few.count++] = (struct label){ LABEL_OTHER, LABEL_OTHER };
    source->labels = few;
}

static void write_labels(struct source_labels *source, struct row_writer *columns)
{
    const struct label_list *labels = &source->labels;

    row_write_length(columns, labels->count);
    for (size_t i = 0; i < labels->count; i++)
        row_write_string(columns, labels->labels[i].key, strlen(labels->labels[i].key));
    row_write_length(columns, labels->count);
    for (size_t i = 0; i < labels->count; i++)
        write_bounded(source, columns, labels->labels[i].key, labels->labels[i].value);
}

/* Two processes may have had one pid, one after the other. */
static bool is_described(const struct source_labels *source, const struct exported_process *process)
{
    return process->pid >= 0 && source->pid == process->pid &&
           source->seen_ns == process->seen_ns && source->later_images == process->later_images;
}

int source_labels_describe(void *context, const struct exported_process *process,
                           const char *thread, struct row_writer *columns)
{
    struct source_labels *source = context;

    if (!is_described(source, process))
        collect_labels(source, process);
    const struct label_list labels = source->labels;
    write_column(source, columns, "service", process->program);
    row_write_string(columns, source->host, strlen(source->host));
    write_bounded(source, columns, "program", process->program);
    write_column(source, columns, "version", "");
    write_bounded(source, columns, "build_id", process->build_id);
    write_bounded(source, columns, "kind", process->kind);
    write_bounded(source, columns, "thread", thread);
    fold_keys(source);
    write_labels(source, columns);
    source->labels = labels; /* the next thread's are the same */
    return columns->error;
}
