// Has some categories in common with categories.c, in another order; then becomes that program.
#include <profd.hpp>

#include <string>
#include <unistd.h>

#include "tests/system/programs/burn.h"

PROFD_CATEGORY(render, "Render", PROFD_COLOUR_GREEN);
PROFD_CATEGORY(cache, "Cache \"one\"\n", PROFD_COLOUR_BLUE);
PROFD_CATEGORY(database, "Database", PROFD_COLOUR_YELLOW);
PROFD_SUBCATEGORY(database_rollback, database, "Rollback");
PROFD_SUBCATEGORY(database_query, database, "Query");

#define DRAWN_FIELDS(FIELD) FIELD(INTEGER, shapes, "Shapes")
PROFD_MARKER_TYPE(drawn, DRAWN_FIELDS, .table_label = "{marker.data.shapes}");

static void draw()
{
    PROFD_SCOPE("drawing", render);
    PROFD_SCOPE("rolling back", database_rollback);
    PROFD_SCOPE("asking otherwise", database_query);
    PROFD_SCOPE_TEXT(std::string("looking ") + "up otherwise", cache);
    PROFD_INTERVAL_SCOPE("drawn", render);
    PROFD_TYPED_SCOPE(drawn, "drawn with type", render, 3);
    burn_outer(0.2);
}

int main(int argc, char **argv)
{
    draw();
    return argc > 1 ? execv(argv[1], argv + 1) : 0;
}
