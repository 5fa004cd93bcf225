#include "daemon/service/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "common/time_units.h"
#include "daemon/log.h"

enum { BEATS_PER_PERIOD = 2 };

int service_take_socket(int *fd)
{
    int count = sd_listen_fds(1);

    *fd = -1;
    if (count > 1)
        return -E2BIG;
    if (count == 1)
        *fd = SD_LISTEN_FDS_START;
    return count < 0 ? count : 0;
}

/* A manager that cannot be reached has gone or is not ours; profd serves all the same. */
static void notify_manager(struct service *service, const char *text)
{
    int error = service->has_manager ? sd_notify(0, text) : 0;

    if (error >= 0)
        return;
    log_warn("cannot report the status to the service manager (%s); no further attempts are made",
             strerror(-error));
    service->has_manager = false;
}

void service_tell_status(struct service *service)
{
    char status[SERVICE_STATUS_BYTES] = "", text[sizeof("STATUS=") + SERVICE_STATUS_BYTES];

    if (!service->has_manager)
        return;
    service->events->describe(status, service->owner);
    if (strcmp(status, service->status) == 0)
        return;
    strcpy(service->status, status);
    snprintf(text, sizeof(text), "STATUS=%s", status);
    notify_manager(service, text);
}

static void on_heartbeat(uv_timer_t *timer)
{
    struct service *service = timer->data;

    if (service->has_watchdog)
        notify_manager(service, "WATCHDOG=1");
    service_tell_status(service);
}

/* Twice in a period of the watchdog, as sd_watchdog_enabled(3) advises. *PERIOD_MS 0: no heartbeat.
 */
static int choose_period(struct service *service, uint64_t *period_ms)
{
    uint64_t watchdog_us = 0;
    int enabled = sd_watchdog_enabled(0, &watchdog_us);

    *period_ms = 0;
    if (enabled < 0)
        return enabled;
    service->has_watchdog = enabled > 0;
    if (!service->has_manager)
        return 0;
    *period_ms = SERVICE_STATUS_MS;
    if (service->has_watchdog && watchdog_us / BEATS_PER_PERIOD / US_PER_MS < *period_ms)
        *period_ms = watchdog_us / BEATS_PER_PERIOD / US_PER_MS;
    if (*period_ms == 0)
        *period_ms = 1;
    return 0;
}

int service_open(struct service *service, uv_loop_t *loop, const struct service_events *events,
                 void *owner)
{
    uint64_t period_ms;

    service->events = events;
    service->owner = owner;
    service->has_manager = getenv("NOTIFY_SOCKET") != NULL;
    int error = choose_period(service, &period_ms);
    if (error < 0 || period_ms == 0)
        return error;
    error = uv_timer_init(loop, &service->heartbeat);
    if (error < 0)
        return error;
    service->heartbeat.data = service;
    service->has_heartbeat = true;
    error = uv_timer_start(&service->heartbeat, on_heartbeat, period_ms, period_ms);
    uv_unref((uv_handle_t *)&service->heartbeat);
    return error;
}

void service_tell_ready(struct service *service)
{
    notify_manager(service, "READY=1");
    service_tell_status(service);
}

void service_close(struct service *service)
{
    notify_manager(service, "STOPPING=1");
    service->has_manager = false;
    if (service->has_heartbeat)
        uv_close((uv_handle_t *)&service->heartbeat, NULL);
    service->has_heartbeat = false;
}
