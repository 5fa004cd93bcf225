#include "json/utf8.h"

/* The bounds of the second byte, which keep out overlong forms, surrogates and too large numbers.
 */
static void second_byte_bounds(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
}

static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t utf8_sequence(const char *bytes, size_t length, bool *is_valid)
{
    uint8_t lead = (uint8_t)bytes[0];
    size_t wanted = sequence_length(lead);
    uint8_t low, high;
    second_byte_bounds(lead, &low, &high);
    *is_valid = false;
    for (size_t i = 1; i < wanted; i++) {
        uint8_t byte = i < length ? (uint8_t)bytes[i] : 0;
        if (byte < low || byte > high)
            return i;
        low = 0x80;
        high = 0xbf;
    }
    *is_valid = wanted > 0;
    return wanted > 0 ? wanted : 1;
}

size_t utf8_encode(char *out, uint32_t code_point)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(leads[length] | code_point);
    return length;
}
