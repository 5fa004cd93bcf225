#include "daemon/log_gate.h"

#include "common/time_units.h"

bool log_gate_opens(struct log_gate *gate, uint64_t now_ns, uint64_t *held_back)
{
    uint64_t second = now_ns / NS_PER_S;

    if (gate->second != second)
        gate->lines = 0;
    gate->second = second;
    if (gate->lines == LOG_GATE_LINES) {
        gate->held_back++;
        return false;
    }
    gate->lines++;
    *held_back = gate->held_back;
    gate->held_back = 0;
    return true;
}
