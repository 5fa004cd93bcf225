#include "child-agent/allocations/allocation_draw.h"

#include <string.h>

enum {
    MANTISSA_BITS = 52,
    EXPONENT_BIAS = 1023,
    LOGARITHM_TERMS = 7,
    HALVINGS = 10,
};

static const uint64_t MANTISSA_MASK = (UINT64_C(1) << MANTISSA_BITS) - 1;
static const double LN_2 = 0.69314718055994530942;
static const double SQRT_2 = 1.41421356237309504880;

/* splitmix64: good from any seed, 0 included. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In (0, 1]. */
static double uniform_random(uint64_t *state)
{
    return (double)((next_random(state) >> 11) + 1) * 0x1p-53;
}

/* Of a positive, normal number: the mathematics library may not be there. */
static double natural_logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    int exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    bits = (bits & MANTISSA_MASK) | (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    double m;
    memcpy(&m, &bits, sizeof(m));
    if (m > SQRT_2) {
        m /= 2;
        exponent++;
    }
    /* ln m = 2 artanh s */
    double s = (m - 1) / (m + 1), power = s, sum = 0;
    for (int i = 0; i < LOGARITHM_TERMS; i++) {
        sum += power / (2 * i + 1);
        power *= s * s;
    }
    return 2 * sum + exponent * LN_2;
}

/* 1 - exp(-x) of x >= 0, exact for the smallest as well. */
static double event_probability(double x)
{
    if (x > 40)
        return 1;
    double y = x / (1 << HALVINGS);
    double p = y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4 * (1 - y / 5))));
    for (int i = 0; i < HALVINGS; i++)
        p = p * (2 - p); /* 1 - (1 - p)² */
    return p;
}

int64_t allocation_draw_distance(uint64_t *random, uint64_t interval_bytes)
{
    double distance = -natural_logarithm(uniform_random(random)) * (double)interval_bytes;
    return distance < 0x1p62 ? (int64_t)distance + 1 : INT64_C(1) << 62;
}

int64_t allocation_weight(uint64_t bytes, uint64_t interval_bytes)
{
    double size = (double)bytes;
    if (bytes == 0)
        return 0;
    double weight = size / event_probability(size / (double)interval_bytes);
    return weight < 0x1p62 ? (int64_t)(weight + 0.5) : INT64_C(1) << 62;
}
