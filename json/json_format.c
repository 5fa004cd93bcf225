#include "json/json_format.h"

#define TENS(d) #d "0" #d "1" #d "2" #d "3" #d "4" #d "5" #d "6" #d "7" #d "8" #d "9"

const char json_digit_pairs[200] =
    TENS(0) TENS(1) TENS(2) TENS(3) TENS(4) TENS(5) TENS(6) TENS(7) TENS(8) TENS(9);

/* Below this, six digits behind the point fit an integer exactly enough. */
static const double largest_plain = 1e12;

static char *format_with_exponent(char *out, double value)
{
    int exponent = 0;
    while (value >= 10) {
        value /= 10;
        exponent++;
    }
    /* Cut, not rounded: the largest double must not become larger than it is. */
    uint64_t hundred_trillionths = (uint64_t)(value * 1e14);
    out = json_format_u64(out, hundred_trillionths);
    *out++ = 'e';
    return json_format_u64(out, (uint64_t)(exponent > 14 ? exponent - 14 : 0));
}

char *json_format_double(char *out, double value)
{
    if (!__builtin_isfinite(value)) {
        memcpy(out, "null", 4);
        return out + 4;
    }
    double magnitude = value < 0 ? -value : value;
    if (magnitude >= largest_plain && magnitude < 9e15)
        magnitude = (double)(uint64_t)(magnitude + 0.5);
    uint64_t millionths = magnitude < largest_plain ? (uint64_t)(magnitude * 1e6 + 0.5) : 1;
    if (value < 0 && millionths != 0)
        *out++ = '-';
    if (magnitude < largest_plain) {
        out = json_format_u64(out, millionths / 1000000);
        return json_format_millionths(out, (uint32_t)(millionths % 1000000));
    }
    if (magnitude < 9e15)
        return json_format_u64(out, (uint64_t)magnitude);
    return format_with_exponent(out, magnitude);
}
