#include "daemon/power/power_meter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_BYTES = 32, PATH_BYTES = 512 };

/* Reads the start of a small file into TEXT, without its line end. 0 or -errno. */
static int read_text(int fd, char *text, size_t capacity)
{
    ssize_t got = pread(fd, text, capacity - 1, 0);
    if (got < 0)
        return -errno;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return 0;
}

static int read_file(int folder_fd, const char *name, char *text, size_t capacity)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = read_text(fd, text, capacity);
    close(fd);
    return error;
}

static int read_energy(int fd, uint64_t *out)
{
    char text[NUMBER_BYTES], *end;
    int error = read_text(fd, text, sizeof(text));
    if (error < 0)
        return error;
    *out = strtoull(text, &end, 10);
    return end != text && *end == '\0' ? 0 : -EPROTO;
}

/* Opens the domain in FOLDER_FD. 0; -errno, with nothing kept. */
static int open_domain(int folder_fd, struct power_domain *domain)
{
    char name[POWER_METER_NAME_BYTES / 2], range[NUMBER_BYTES];
    memset(domain, 0, sizeof(*domain));
    int error = read_file(folder_fd, "name", name, sizeof(name));
    if (error == 0)
        error = read_file(folder_fd, "max_energy_range_uj", range, sizeof(range));
    if (error < 0)
        return error;
    snprintf(domain->name, sizeof(domain->name), "Power: %s", name);
    domain->range_uj = strtoull(range, NULL, 10);
    domain->fd = openat(folder_fd, "energy_uj", O_RDONLY | O_CLOEXEC);
    if (domain->fd < 0)
        return -errno;
    error = read_energy(domain->fd, &domain->last_uj);
    if (error < 0)
        close(domain->fd);
    return error;
}

/* Looks at ENTRY of the folder, which may be no domain. */
static int try_domain(struct power_meter *meter, DIR *folder, const char *entry)
{
    int fd = openat(dirfd(folder), entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = open_domain(fd, &meter->domains[meter->domain_count]);
    if (error == 0)
        meter->domain_count++;
    close(fd);
    return error;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct power_domain *)a)->name, ((const struct power_domain *)b)->name);
}

/* The energy of a sample counts from the one before: the first is where it begins. */
static void add_sample(struct power_domain *domain, uint64_t now_ns, uint64_t used_uj)
{
    struct gecko_root_sample *samples = domain->samples;
    size_t count = domain->sample_count;
    if (count == POWER_METER_MOST_SAMPLES) {
        count = POWER_METER_MOST_SAMPLES / 2;
        memmove(samples, samples + (POWER_METER_MOST_SAMPLES - count), count * sizeof(*samples));
    }
    /* 1 µJ is 10000 / 36 pWh; of the whole, so that nothing is lost by rounding. */
    uint64_t before_pwh = domain->used_uj * 10000 / 36;
    domain->used_uj += used_uj;
    samples[count] = (struct gecko_root_sample){
        .time_ns = now_ns,
        .count = (int64_t)(domain->used_uj * 10000 / 36 - before_pwh),
    };
    domain->sample_count = count + 1;
}

void power_meter_open(struct power_meter *meter, const char *folder, uint64_t now_ns)
{
    DIR *entries = opendir(folder);
    int error = entries == NULL ? -errno : -ENOENT;
    struct dirent *entry;
    memset(meter, 0, sizeof(*meter));
    while (entries != NULL && meter->domain_count < POWER_METER_MOST_DOMAINS &&
           (entry = readdir(entries)) != NULL) {
        bool may_be = entry->d_name[0] != '.' && strchr(entry->d_name, ':') != NULL;
        int found = may_be ? try_domain(meter, entries, entry->d_name) : 0;
        if (found < 0)
            error = found;
    }
    if (entries != NULL)
        closedir(entries);
    if (meter->domain_count == 0)
        snprintf(meter->obstacle, sizeof(meter->obstacle),
                 "power is not available: no energy counter in %s can be read (%s)", folder,
                 strerror(-error));
    qsort(meter->domains, meter->domain_count, sizeof(meter->domains[0]), by_name);
    for (size_t i = 0; i < meter->domain_count; i++) {
        struct power_domain *domain = &meter->domains[i];
        domain->samples = malloc(POWER_METER_MOST_SAMPLES * sizeof(*domain->samples));
        if (domain->samples != NULL)
            add_sample(domain, now_ns, 0);
    }
}

static uint64_t used_since(const struct power_domain *domain, uint64_t energy_uj)
{
    if (energy_uj >= domain->last_uj)
        return energy_uj - domain->last_uj;
    uint64_t rest_uj = domain->range_uj > domain->last_uj ? domain->range_uj - domain->last_uj : 0;
    return rest_uj + energy_uj;
}

void power_meter_read(struct power_meter *meter, uint64_t now_ns)
{
    for (size_t i = 0; i < meter->domain_count; i++) {
        struct power_domain *domain = &meter->domains[i];
        uint64_t energy_uj;
        if (domain->samples == NULL || read_energy(domain->fd, &energy_uj) < 0)
            continue;
        add_sample(domain, now_ns, used_since(domain, energy_uj));
        domain->last_uj = energy_uj;
    }
}

void power_meter_close(struct power_meter *meter)
{
    for (size_t i = 0; i < meter->domain_count; i++) {
        close(meter->domains[i].fd);
        free(meter->domains[i].samples);
    }
    memset(meter, 0, sizeof(*meter));
}

size_t power_meter_describe(const struct power_meter *meter,
                            struct gecko_root_counter out[POWER_METER_MOST_DOMAINS])
{
    size_t count = 0;
    for (size_t i = 0; i < meter->domain_count; i++) {
        const struct power_domain *domain = &meter->domains[i];
        if (domain->sample_count > 0)
            out[count++] = (struct gecko_root_counter){
                .name = domain->name,
                .category = "power",
                .description = "energy that this part of the machine used",
                .samples = domain->samples,
                .sample_count = domain->sample_count,
            };
    }
    return count;
}
