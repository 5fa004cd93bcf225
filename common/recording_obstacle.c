#include "common/recording_obstacle.h"

const char *recording_obstacle_text(enum recording_obstacle obstacle)
{
    static const char *const texts[] = {
#define X(name, number, text) [OBSTACLE_##name] = text,
        RECORDING_OBSTACLES(X)
#undef X
    };
    return texts[obstacle];
}
