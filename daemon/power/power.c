#include "daemon/power/power.h"

#include "daemon/daemon.h"
#include "daemon/log.h"

static void on_timer(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;
    power_meter_read(&profd->power.meter, uv_hrtime());
}

int power_init(struct daemon *profd)
{
    profd->power.timer.data = profd;
    return uv_timer_init(&profd->loop, &profd->power.timer);
}

void power_close(struct daemon *profd)
{
    power_meter_close(&profd->power.meter);
    uv_close((uv_handle_t *)&profd->power.timer, NULL);
}

void power_follow_session(struct daemon *profd)
{
    struct power *power = &profd->power;
    bool is_wanted = (profd->session.settings.features & FEATURE_POWER) != 0;

    if (is_wanted && uv_is_active((uv_handle_t *)&power->timer))
        return; /* another session began beside the one that it measures for */
    uv_timer_stop(&power->timer);
    power_meter_close(&power->meter);
    if (!is_wanted)
        return;
    power_meter_open(&power->meter, POWER_METER_FOLDER, uv_hrtime());
    if (power->meter.obstacle[0] != '\0')
        log_info("%s", power->meter.obstacle);
    else
        uv_timer_start(&power->timer, on_timer, POWER_METER_PERIOD_MS, POWER_METER_PERIOD_MS);
}

void power_end_session(struct daemon *profd)
{
    uv_timer_stop(&profd->power.timer);
}

void power_describe(struct daemon *profd, struct gecko_root_options *out)
{
    struct power *power = &profd->power;

    out->counters = power->counters;
    out->counter_count = power_meter_describe(&power->meter, power->counters);
    out->obstacle = power->meter.obstacle;
}
