#include "profctl/tables/marker_phase.h"

bool marker_phase_begins(enum marker_phase phase)
{
    return phase != PHASE_END;
}

bool marker_phase_ends(enum marker_phase phase)
{
    return phase == PHASE_INTERVAL || phase == PHASE_END;
}
