/* Records markers with a payload, as fast as it can, and exits: what they take of the buffer. */
#include "tests/bench/typed_marker.h"

enum { MARKERS = 200000 };

int main(void)
{
    for (int i = 0; i < MARKERS; i++)
        PROFD_MARKER_TYPED(typed, "bench", PROFD_CATEGORY_OTHER, profd_instant(), i & 127, "short");
    return 0;
}
