/* What programs/archive_host.c loads: the plugin that a test makes of this tells in every way. */
#include <profd.h>

#include "tests/system/programs/burn.h"

PROFD_COUNTER(plugin_counter, "plugged", "Work", "counted in a plugin");
PROFD_CATEGORY(plugin_category, "Plugins", PROFD_COLOUR_GREEN);
#define PLUGIN_FIELDS(FIELD) FIELD(STRING, what, "What")
PROFD_MARKER_TYPE(plugged, PLUGIN_FIELDS, .chart_label = "{marker.data.what}");

__attribute__((visibility("default"), noinline)) void plugin_tells(void)
{
    PROFD_LABEL_SCOPE("label of a plugin", plugin_category);
    PROFD_LABEL_SCOPE_TEXT("text of a plugin", PROFD_CATEGORY_OTHER);
    PROFD_MARKER("marker of a plugin", plugin_category);
    PROFD_MARKER_TYPED(plugged, "typed marker of a plugin", PROFD_CATEGORY_OTHER,
                       profd_with_stack_now(profd_instant()), "it");
    profd_counter_add(&plugin_counter, 1);
#ifndef QUICK
    burn_outer(0.05);
#endif
}
