#include "profctl/convert/page_comparison.h"

#include "profctl/convert/page_record.h"

static void put_change(struct page_stream *stream, const struct profile_change *change)
{
    page_put_real(stream, change->before);
    page_put_real(stream, change->now);
    page_put_real(stream, change->probability);
    page_put_number(stream, change->is_significant);
}

int page_put_comparison(struct page_stream *stream, const struct profile_comparison *comparison)
{
    page_put_number(stream, PAGE_COMPARISON);
    page_put_text(stream, comparison->before);
    page_put_number(stream, comparison->is_by_cpu);
    page_put_number(stream, comparison->is_of_shares);
    page_put_real(stream, comparison->sampled_before);
    page_put_real(stream, comparison->sampled_now);
    page_put_number(stream, comparison->functions);
    for (size_t i = 0; i < comparison->functions; i++) {
        const struct changed_function function = comparison->function_at(comparison->source, i);
        page_put_bytes(stream, function.name, function.length);
        put_change(stream, &function.self);
        put_change(stream, &function.total);
    }
    return stream->error;
}
