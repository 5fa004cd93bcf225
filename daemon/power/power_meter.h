/* What the machine uses: the kernel's energy counters (RAPL), read now and then.
 *
 * A domain is a part of the machine that is measured by itself: a package, its cores, the memory.
 * The counters are the machine's, not a process'. No libuv here; one thread. */
#ifndef PROFD_DAEMON_POWER_METER_H
#define PROFD_DAEMON_POWER_METER_H

#include <stddef.h>
#include <stdint.h>

#include "json/gecko/gecko_root.h"

#define POWER_METER_FOLDER "/sys/class/powercap"

enum {
    POWER_METER_PERIOD_MS = 100,
    POWER_METER_MOST_DOMAINS = 16,
    POWER_METER_MOST_SAMPLES = 36000, /* the latest hour; what is older goes */
    POWER_METER_NAME_BYTES = 64,
    POWER_METER_OBSTACLE_BYTES = 256,
};

struct power_domain {
    char name[POWER_METER_NAME_BYTES];
    int fd;                            /* owned; -1: not open */
    uint64_t range_uj;                 /* where the counter begins anew */
    uint64_t last_uj;                  /* its latest reading */
    uint64_t used_uj;                  /* since it was opened */
    struct gecko_root_sample *samples; /* owned; of picowatt-hours */
    size_t sample_count;
};

struct power_meter {
    struct power_domain domains[POWER_METER_MOST_DOMAINS];
    size_t domain_count;
    char obstacle[POWER_METER_OBSTACLE_BYTES]; /* why there is nothing to read; "": there is */
};

/* Finds the domains below FOLDER and reads each for the first time, at NOW_NS (CLOCK_MONOTONIC).
 * Without any, METER has an obstacle. *METER is zeroed, or was closed. */
void power_meter_open(struct power_meter *meter, const char *folder, uint64_t now_ns);

/* Reads all domains. One that cannot be read, or for which there is no memory, has no sample. */
void power_meter_read(struct power_meter *meter, uint64_t now_ns);

/* Safe to repeat, and on a zeroed one. */
void power_meter_close(struct power_meter *meter);

/* The domains as counters of the root, into OUT; returns how many. They borrow from METER until it
 * is read again. */
size_t power_meter_describe(const struct power_meter *meter,
                            struct gecko_root_counter out[POWER_METER_MOST_DOMAINS]);

#endif
