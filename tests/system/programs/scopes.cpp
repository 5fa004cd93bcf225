// Uses profd.hpp: scopes of labels and markers, left by an exception, too.
#include <profd.hpp>

#include <stdexcept>
#include <string>

#include "tests/system/programs/burn.h"

#define WORK_FIELDS(FIELD)                                                                         \
    FIELD(STRING, what, "What")                                                                    \
    FIELD(INTEGER, steps, "Steps")
PROFD_MARKER_TYPE(work, WORK_FIELDS, .chart_label = "{marker.data.what}");

// Two in one line, as a program's own macro may have them.
#define SCOPES_OF(WHAT)                                                                            \
    PROFD_SCOPE("scope", PROFD_CATEGORY_COMPUTE);                                                  \
    PROFD_SCOPE_TEXT(std::string("scope of ") + (WHAT), PROFD_CATEGORY_COMPUTE)

static void throws(long &steps)
{
    const std::string what = "thrown away";
    PROFD_TYPED_SCOPE(work, "typed scope", PROFD_CATEGORY_COMPUTE, what.c_str(), steps);
    SCOPES_OF(what);
    burn_outer(0.1);
    steps = 5;
    throw std::runtime_error(what);
}

int main()
{
    profd::thread_scope thread("first");
    profd::stack here;
    long steps = 0;
    try {
        PROFD_INTERVAL_SCOPE("interval scope", PROFD_CATEGORY_COMPUTE);
        throws(steps);
    } catch (const std::exception &) {
        PROFD_INTERVAL_SCOPE("caught", PROFD_CATEGORY_COMPUTE);
        PROFD_MARKER_TYPED(work, "with stack", PROFD_CATEGORY_COMPUTE,
                           profd_with_stack(profd_instant(), &here), profd::text("text"), 3);
    }
    return 0;
}
