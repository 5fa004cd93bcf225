/* The machine's use of energy, from the kernel's counters (RAPL), read periodically.
 *
 * A domain is a part of the machine that is measured separately: a package, its cores, the memory.
 * The counters are for the whole machine, not for a process. No libuv here; one thread. */
#ifndef PROFD_DAEMON_POWER_METER_H
#define PROFD_DAEMON_POWER_METER_H

#include <stddef.h>
#include <stdint.h>

#include "json/gecko/gecko_root.h"

#define POWER_METER_FOLDER "/sys/class/powercap"

enum {
    POWER_METER_PERIOD_MS = 100,
    POWER_METER_MOST_DOMAINS = 16,
    POWER_METER_MOST_SAMPLES = 36000, /* the latest hour; older ones are dropped */
    POWER_METER_NAME_BYTES = 64,
    POWER_METER_OBSTACLE_BYTES = 256,
};

struct power_domain {
    char name[POWER_METER_NAME_BYTES];
    int fd;                            /* owned; -1: not open */
    uint64_t range_uj;                 /* where the counter wraps around */
    uint64_t last_uj;                  /* its latest reading */
    uint64_t used_uj;                  /* since it was opened */
    struct gecko_root_sample *samples; /* owned; in picowatt-hours */
    size_t sample_count;
};

struct power_meter {
    struct power_domain domains[POWER_METER_MOST_DOMAINS];
    size_t domain_count;
    char obstacle[POWER_METER_OBSTACLE_BYTES]; /* why nothing can be read; "": it can */
};

/* Finds the domains below FOLDER and reads each for the first time, at NOW_NS (CLOCK_MONOTONIC). If
 * there is none, METER's obstacle is set. *METER is zeroed or closed before. */
void power_meter_open(struct power_meter *meter, const char *folder, uint64_t now_ns);

/* Reads all domains. One that cannot be read, or for which there is no memory, gets no sample. */
void power_meter_read(struct power_meter *meter, uint64_t now_ns);

/* Safe to repeat, and on a zeroed one. */
void power_meter_close(struct power_meter *meter);

/* Puts the domains into OUT as counters of the profile's root, and returns their number. They
 * borrow from METER until it is read again. */
size_t power_meter_describe(const struct power_meter *meter,
                            struct gecko_root_counter out[POWER_METER_MOST_DOMAINS]);

#endif
