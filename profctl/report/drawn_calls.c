#include "profctl/report/drawn_calls.h"

#include <errno.h>
#include <stdbool.h>

/* A number below LIMIT (xorshift64*, of Vigna). */
static uint64_t draw_below(struct drawn_calls *drawn, uint64_t limit)
{
    if (drawn->chance == 0)
        drawn->chance = 1;
    drawn->chance ^= drawn->chance >> 12;
    drawn->chance ^= drawn->chance << 25;
    drawn->chance ^= drawn->chance >> 27;
    return (drawn->chance * UINT64_C(2685821657736338717) >> 32) % limit;
}

static uint8_t *halves_of(const struct drawn_calls *drawn, uint32_t function)
{
    return (uint8_t *)drawn->halves.items + function;
}

static bool is_before(const void *left, const void *right)
{
    const struct drawn_call *a = left, *b = right;

    return a->function != b->function ? a->function < b->function : a->duration_ms < b->duration_ms;
}

void drawn_calls_sort(struct drawn_calls *drawn)
{
    mapped_array_sort(&drawn->calls, sizeof(struct drawn_call), is_before);
}

/* Keeps each second one of COUNT sorted calls of a function that are at FIRST, which leaves
 * quantiles where they are, and puts them at KEPT. Returns how many. */
static size_t halve_function(struct drawn_calls *drawn, size_t first, size_t count, size_t kept)
{
    struct drawn_call *calls = drawn->calls.items;
    size_t left = 0;

    ++*halves_of(drawn, calls[first].function);
    for (size_t i = draw_below(drawn, 2); i < count; i += 2)
        calls[kept + left++] = calls[first + i];
    return left;
}

static size_t keep_function(struct drawn_calls *drawn, size_t first, size_t count, size_t kept)
{
    struct drawn_call *calls = drawn->calls.items;

    for (size_t i = 0; i < count; i++)
        calls[kept + i] = calls[first + i];
    return count;
}

/* Halves what is there of functions that have many. Where there are so many functions that this
 * helps little, more is kept. */
static void thin_calls(struct drawn_calls *drawn)
{
    const struct drawn_call *calls = drawn->calls.items;
    size_t total = drawn->calls.count, kept = 0, end;

    drawn_calls_sort(drawn);
    for (size_t first = 0; first < total; first = end) {
        for (end = first + 1; end < total && calls[end].function == calls[first].function;)
            end++;
        kept += end - first >= 2 * DRAWN_CALLS_OF_FUNCTION_MIN
                    ? halve_function(drawn, first, end - first, kept)
                    : keep_function(drawn, first, end - first, kept);
    }
    drawn->calls.count = kept;
    if (kept > drawn->most - drawn->most / 4)
        drawn->most *= 2;
}

int drawn_calls_add(struct drawn_calls *drawn, const struct drawn_call *call)
{
    size_t functions = (size_t)call->function + 1;
    int error = mapped_array_reserve(&drawn->halves, functions, sizeof(uint8_t));

    if (error < 0)
        return error;
    if (drawn->halves.count < functions)
        drawn->halves.count = functions; /* new memory is zeroed */
    if (draw_below(drawn, UINT64_C(1) << *halves_of(drawn, call->function)) != 0)
        return 0;
    struct drawn_call *place = mapped_array_push(&drawn->calls, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = *call;
    if (drawn->most == 0)
        drawn->most = DRAWN_CALLS_AT_FIRST;
    if (drawn->calls.count >= drawn->most)
        thin_calls(drawn);
    return 0;
}

void drawn_calls_free(struct drawn_calls *drawn)
{
    mapped_array_free(&drawn->calls);
    mapped_array_free(&drawn->halves);
}

double drawn_calls_quantile(const struct drawn_call *calls, size_t count, double share)
{
    size_t index = (size_t)((double)count * share);

    return count == 0 ? 0 : (double)calls[index < count ? index : count - 1].duration_ms;
}
