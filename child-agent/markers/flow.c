/* Flows: numbers that tie markers together. */
#include <stdint.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "profd.h"

/* Spreads all bits over all bits, and is its own kind of fair: two numbers never become one. */
static uint64_t mix_bits(uint64_t value)
{
    value ^= value >> 33;
    value *= UINT64_C(0xff51afd7ed558ccd);
    value ^= value >> 33;
    value *= UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

struct profd_flow profd_flow_global(uint64_t number)
{
    return (struct profd_flow){ number };
}

/* Addresses are alike in all processes, more so in forked ones, but images begin at one time each.
 */
struct profd_flow profd_flow_of(const void *object)
{
    return (struct profd_flow){ mix_bits((uint64_t)(uintptr_t)object ^ mix_bits(core.start_ns)) };
}
