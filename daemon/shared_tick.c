#include "daemon/shared_tick.h"

int shared_tick_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t period_ms)
{
    uint64_t now_ms = uv_now(uv_handle_get_loop((uv_handle_t *)timer));
    return uv_timer_start(timer, callback, period_ms - now_ms % period_ms, 0);
}
