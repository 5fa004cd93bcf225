#include "profctl/export/process_labels.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profctl/export/same_process.h"

enum {
    PATH_BYTES = 64,
    CGROUP_BYTES = 4096,
    ENVIRONMENT_BYTES = 256 * 1024,
    CONTAINER_SHOWN = 12, /* bytes of its id, as container tools show it */
};

static bool has_ending(const char *text, size_t length, const char *ending)
{
    size_t count = strlen(ending);

    return length > count && memcmp(text + length - count, ending, count) == 0;
}

static void set_label(struct label_list *list, const char *key, const char *value, size_t length)
{
    (void)label_list_set(list, key, strlen(key), value, length); /* no room: the admin's own stay */
}

/* "kubepods-burstable-podUID.slice", or a folder "podUID". */
static void take_pod(const char *part, size_t length, struct label_list *list)
{
    const char *pod = memmem(part, length, "pod", 3), *last = NULL;

    for (; pod != NULL; pod = memmem(pod + 1, length - (size_t)(pod + 1 - part), "pod", 3))
        last = pod;
    size_t end = has_ending(part, length, ".slice") ? length - strlen(".slice") : length;
    if (last != NULL && (size_t)(last - part) + 3 < end && last[3] != 's')
        set_label(list, "pod", last + 3, end - (size_t)(last - part) - 3);
}

/* "cri-containerd-ID.scope", "docker-ID.scope", or a folder of that name alone. */
static void take_container(const char *part, size_t length, struct label_list *list)
{
    const char *dash = memrchr(part, '-', length), *id = dash != NULL ? dash + 1 : part;
    size_t end = has_ending(part, length, ".scope") ? length - strlen(".scope") : length;
    size_t id_length = end > (size_t)(id - part) ? end - (size_t)(id - part) : 0;

    if (id_length >= 4 * CONTAINER_SHOWN && strspn(id, "0123456789abcdef") >= id_length)
        set_label(list, "container", id, CONTAINER_SHOWN);
}

static void take_part(const char *part, size_t length, struct label_list *list)
{
    if (has_ending(part, length, ".service") && length < LABEL_VALUE_BYTES)
        set_label(list, "unit", part, length);
    take_container(part, length, list);
    if (memmem(part, length, "pod", 3) != NULL)
        take_pod(part, length, list);
}

/* One hierarchy a line, "NUMBER:CONTROLLERS:PATH"; that of systemd, or of all controllers, is the
 * one that counts: both name units, and come last. */
void process_labels_of_cgroup(const char *text, struct label_list *list)
{
    while (*text != '\0') {
        size_t line = strcspn(text, "\n");
        const char *path = memchr(text, '/', line), *end = text + line;
        while (path != NULL && path < end) {
            size_t length = strcspn(path + 1, "/\n");
            take_part(path + 1, length, list);
            path += 1 + length;
        }
        text = end + (*end == '\n');
    }
}

void process_labels_service_of_unit(const char *unit, const char **service, size_t *length)
{
    size_t whole = strlen(unit);

    *service = unit;
    *length = 0;
    if (!has_ending(unit, whole, ".service"))
        return;
    *length = whole - strlen(".service");
    const char *at = memchr(unit, '@', *length);
    if (at != NULL && at > unit)
        *length = (size_t)(at - unit);
}

/* The file at PATH into BYTES, terminated; *LENGTH of CAPACITY - 1 at most. 0 or a negative errno.
 */
static int read_file(const char *path, char *bytes, size_t capacity, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = fd < 0 ? -errno : 0;
    ssize_t got = 0;

    *length = 0;
    while (error == 0 && *length < capacity - 1 &&
           (got = read(fd, bytes + *length, capacity - 1 - *length)) > 0)
        *length += (size_t)got;
    if (got < 0)
        error = -errno;
    if (fd >= 0)
        close(fd);
    bytes[*length] = '\0';
    return error;
}

/* How many of its labels are none, or have no room. */
static size_t take_environment(const char *bytes, size_t length, struct label_list *own)
{
    static const char name[] = "PROFD_LABELS=";

    for (const char *next = bytes; next < bytes + length; next += strlen(next) + 1)
        if (strncmp(next, name, strlen(name)) == 0)
            return label_list_take(own, next + strlen(name));
    return 0;
}

int process_labels_read(int64_t pid, int64_t seen_ns, struct label_list *machine,
                        struct label_list *own, size_t *left_out)
{
    char path[PATH_BYTES], cgroup[CGROUP_BYTES];
    char *environment = malloc(ENVIRONMENT_BYTES);
    size_t length;

    *left_out = 0;
    if (environment == NULL)
        return -ENOMEM;
    int error = same_process_lives(pid, seen_ns) ? 0 : -ESRCH;
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/cgroup", pid);
    if (error == 0)
        error = read_file(path, cgroup, sizeof(cgroup), &length);
    if (error == 0)
        process_labels_of_cgroup(cgroup, machine);
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/environ", pid);
    if (error == 0)
        error = read_file(path, environment, ENVIRONMENT_BYTES, &length);
    if (error == 0)
        *left_out = take_environment(environment, length, own);
    free(environment);
    return error;
}
