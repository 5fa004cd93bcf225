#include "daemon/power/power.h"

#include "daemon/log.h"

static void on_timer(uv_timer_t *timer)
{
    struct power *power = timer->data;
    power_meter_read(&power->meter, uv_hrtime());
}

int power_init(struct power *power, uv_loop_t *loop, const char *folder)
{
    power->folder = folder;
    power->timer.data = power;
    return uv_timer_init(loop, &power->timer);
}

void power_close(struct power *power)
{
    power_meter_close(&power->meter);
    uv_close((uv_handle_t *)&power->timer, NULL);
}

void power_follow_session(struct power *power, bool is_wanted)
{
    if (is_wanted && uv_is_active((uv_handle_t *)&power->timer))
        return; /* another session began beside the one that it measures for */
    uv_timer_stop(&power->timer);
    power_meter_close(&power->meter);
    if (!is_wanted)
        return;
    power_meter_open(&power->meter, power->folder, uv_hrtime());
    if (power->meter.obstacle[0] != '\0')
        log_info("%s", power->meter.obstacle);
    else
        uv_timer_start(&power->timer, on_timer, POWER_METER_PERIOD_MS, POWER_METER_PERIOD_MS);
}

void power_end_session(struct power *power)
{
    uv_timer_stop(&power->timer);
}

void power_describe(struct power *power, struct gecko_root_options *out)
{
    out->counters = power->counters;
    out->counter_count = power_meter_describe(&power->meter, power->counters);
    out->obstacle = power->meter.obstacle;
}
