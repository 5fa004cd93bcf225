/* Has categories of its own, good and bad ones, and uses them in an order of its own. A child that
 * it forks uses one of them. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <profd.h>

#include "tests/system/programs/burn.h"

PROFD_CATEGORY(database, "Database", PROFD_COLOUR_ORANGE);
PROFD_SUBCATEGORY(database_query, database, "Query");
PROFD_SUBCATEGORY(database_commit, database, "Commit");
PROFD_CATEGORY(cache, "Cache \"one\"\n", PROFD_COLOUR_MAGENTA);
PROFD_SUBCATEGORY(disk_flush, PROFD_CATEGORY_DISK, "Flush");
PROFD_CATEGORY(database_again, "Database", PROFD_COLOUR_RED);
PROFD_SUBCATEGORY(database_again_query, database_again, "Query");
PROFD_CATEGORY(nameless, NULL, PROFD_COLOUR_RED);
PROFD_CATEGORY(empty, "", PROFD_COLOUR_RED);
PROFD_CATEGORY(colourless, "Colourless", 4711);
PROFD_SUBCATEGORY(part_of_a_part, database_query, "Part of a part");
PROFD_SUBCATEGORY(part_of_nothing, 4000, "Part of nothing");

/* More than there may be. */
static void use_many(void)
{
    enum { MANY = 100 };
    static struct profd_own_category many[MANY];
    static char names[MANY][16];

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "Many %d", i);
        many[i].name = names[i];
        PROFD_LABEL_PUSH_TEXT(names[i], &many[i]);
        PROFD_LABEL_POP();
    }
    PROFD_LABEL_SCOPE_TEXT("first of many", &many[0]);
    PROFD_LABEL_SCOPE_TEXT("last of many", &many[MANY - 1]);
    burn_outer(0.1);
}

int main(void)
{
    {
        PROFD_LABEL_SCOPE("committing", database_commit);
        PROFD_LABEL_SCOPE("asking", database_query);
        PROFD_LABEL_SCOPE("asking again", database_again_query);
        PROFD_LABEL_SCOPE("looking up", cache);
        PROFD_LABEL_SCOPE("computing", PROFD_CATEGORY_COMPUTE);
        PROFD_LABEL_SCOPE_TEXT("flushing", disk_flush);
        burn_outer(0.2);
    }
    PROFD_MARKER("asked", database_query);
    PROFD_MARKER("asked again", database_again);
    PROFD_MARKER("looked up", cache);
    PROFD_MARKER("flushed", disk_flush);
    PROFD_MARKER("common", PROFD_CATEGORY_LOCK);
    PROFD_MARKER("no name", nameless);
    PROFD_MARKER("empty name", empty);
    PROFD_MARKER("no colour", colourless);
    PROFD_MARKER("part of a part", part_of_a_part);
    PROFD_MARKER("part of nothing", part_of_nothing);
    PROFD_MARKER("no category", 4000);
    use_many();

    pid_t child = fork();
    if (child == 0) {
        profd_set_process_name("categories: child");
        PROFD_MARKER("looked up", cache);
        return 0;
    }
    return child > 0 && waitpid(child, NULL, 0) == child ? 0 : 1;
}
