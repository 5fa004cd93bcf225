#include "profctl/units.h"

#include <stdio.h>

const char *units_format_size(uint64_t bytes, char out[UNITS_TEXT_BYTES])
{
    static const char *const names[] = { "KB", "MB", "GB", "TB" };
    double number = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        snprintf(out, UNITS_TEXT_BYTES, "%u B", (unsigned)bytes);
        return out;
    }
    while (number >= 1023.95 && unit + 1 < sizeof(names) / sizeof(names[0])) {
        number /= 1024;
        unit++;
    }
    snprintf(out, UNITS_TEXT_BYTES, "%.1f %s", number, names[unit]);
    return out;
}

const char *units_format_count(uint64_t count, char out[UNITS_TEXT_BYTES])
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    size_t used = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}
