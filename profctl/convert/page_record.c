#include "profctl/convert/page_record.h"

#include "common/time_units.h"

#define MAX_US 1e15 /* thirty years, and exact in a browser */

int64_t page_us(double ms)
{
    double us = ms * US_PER_MS;

    if (!(us > -MAX_US))
        return us <= -MAX_US ? (int64_t)-MAX_US : 0;
    return us < MAX_US ? (int64_t)(us + (us < 0 ? -0.5 : 0.5)) : (int64_t)MAX_US;
}

int page_put_counter(struct page_stream *stream, const struct profile_counter *counter)
{
    const struct counter_sample *samples = counter->samples.items;
    int64_t time_us = 0;

    page_put_number(stream, PAGE_COUNTER);
    page_put_text(stream, counter->name);
    page_put_text(stream, counter->category);
    page_put_text(stream, counter->description);
    page_put_number(stream, counter->samples.count);
    for (size_t i = 0; i < counter->samples.count; i++) {
        int64_t next_us = page_us(samples[i].time_ms);
        page_put_difference(stream, next_us - time_us);
        time_us = next_us;
    }
    for (size_t i = 0; i < counter->samples.count; i++)
        page_put_real(stream, samples[i].count);
    return stream->error;
}

int page_put_process(struct page_stream *stream, bool is_root, const struct process_log *log)
{
    const double numbers[] = { log->pid,    log->parent_pid,   log->start_ms,
                               log->end_ms, log->cpu_ms,       log->cpu_before_ms,
                               log->code,   log->later_images, log->process_start_ms };
    const char *const texts[] = { log->verdict, log->outcome, log->reason, log->executable,
                                  process_log_command_line(log) };

    page_put_number(stream, PAGE_PROCESS);
    page_put_number(stream, is_root);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        page_put_real(stream, numbers[i]);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        page_put_text(stream, texts[i]);
    return stream->error;
}
