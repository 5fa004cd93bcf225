/* Event delays: for each thread, pairs of LEB128 numbers, ticks since the previous pair and the
 * delay at that tick in µs. Ticks between pairs have none. */
#include <string.h>

#include "buffer/leb128.h"
#include "json/gecko/gecko_context.h"

enum { PAIR_MAX_BYTES = 2 * LEB128_MAX_BYTES };

void event_delays_take(struct process_context *process, const struct event_delay_entry *entry)
{
    const uint64_t *times = process->ticks.items;
    struct thread_context *thread = NULL;
    if (process->ticks.count > 0)
        thread = process_thread_at(process, entry->thread_index, times[process->ticks.count - 1]);
    if (thread == NULL) {
        process->bad_entries++;
        return;
    }
    struct event_delays *delays = &thread->event_delays;
    int error = mapped_array_reserve(&delays->pairs, delays->pairs.count + PAIR_MAX_BYTES, 1);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    uint32_t tick = (uint32_t)process->ticks.count - 1;
    uint8_t *start = delays->pairs.items;
    uint8_t *out = leb128_write(start + delays->pairs.count, tick - delays->last_tick);
    out = leb128_write(out, entry->delay_us);
    delays->pairs.count = (size_t)(out - start);
    delays->last_tick = tick;
}

void event_delays_fini(struct event_delays *delays)
{
    mapped_array_free(&delays->pairs);
    memset(delays, 0, sizeof(*delays));
}

/* Reads the next pair, if there is one. */
static void read_next_pair(struct event_delay_cursor *cursor)
{
    uint64_t ticks_on = 0;
    cursor->has_pair = false;
    if (cursor->in == cursor->end)
        return;
    const uint8_t *in = leb128_read(cursor->in, cursor->end, &ticks_on);
    if (in != NULL)
        in = leb128_read(in, cursor->end, &cursor->delay_us);
    if (in == NULL)
        return;
    cursor->in = in;
    cursor->tick += (uint32_t)ticks_on;
    cursor->has_pair = true;
}

void event_delay_cursor_init(struct event_delay_cursor *cursor, const struct event_delays *delays)
{
    memset(cursor, 0, sizeof(*cursor));
    cursor->in = delays->pairs.items;
    cursor->end = cursor->in + delays->pairs.count;
    read_next_pair(cursor);
}

uint64_t event_delay_at(struct event_delay_cursor *cursor, uint32_t tick)
{
    while (cursor->has_pair && cursor->tick < tick)
        read_next_pair(cursor);
    return cursor->has_pair && cursor->tick == tick ? cursor->delay_us : 0;
}
