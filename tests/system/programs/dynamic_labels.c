/* Labels that are made at run time: texts, frames of a language, too many of them, too many pops.
 * With an argument: a million different ones. */
#include <stdio.h>

#include <profd.h>

#include "tests/system/programs/burn.h"

static void interpret_function(void)
{
    struct profd_site *frame =
        profd_label_frame("fibonacci", "math.lang", 42, 7, PROFD_CATEGORY_COMPUTE);
    struct profd_site *again =
        profd_label_frame("fibonacci", "math.lang", 42, 7, PROFD_CATEGORY_COMPUTE);
    if (frame != again)
        fprintf(stderr, "one frame, two labels\n");
    profd_label_push(frame, __builtin_frame_address(0));
    burn_outer(0.2);
    profd_label_pop();
}

int main(int argc, char **argv)
{
    char text[64];
    (void)argv;
    for (int i = 0; argc > 1 && i < 1000000; i++) {
        snprintf(text, sizeof(text), "text %d", i);
        PROFD_LABEL_PUSH_TEXT(text, PROFD_CATEGORY_PARSE);
        PROFD_LABEL_POP();
    }
    {
        snprintf(text, sizeof(text), "made of %d words", 4);
        PROFD_LABEL_SCOPE_TEXT(text, PROFD_CATEGORY_PARSE);
        text[0] = '\0';
        burn_outer(0.2);
    }
    PROFD_LABEL_PUSH_TEXT("\xff not UTF-8 \"quoted\"", PROFD_CATEGORY_PARSE);
    burn_outer(0.1);
    PROFD_LABEL_POP();
    interpret_function();
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), "marker %d", i);
        PROFD_MARKER_NAMED(text, PROFD_CATEGORY_PARSE, profd_instant(), "its text");
    }
    PROFD_MARKER_NAMED("phase", PROFD_CATEGORY_PARSE, profd_interval_start(), NULL);
    snprintf(text, sizeof(text), "pha%s", "se");
    PROFD_MARKER_NAMED(text, PROFD_CATEGORY_PARSE, profd_interval_end(), NULL);
    for (int i = 0; i < 3; i++)
        PROFD_LABEL_POP();
    PROFD_LABEL_SCOPE("after too many pops", PROFD_CATEGORY_PARSE);
    burn_outer(0.1);
    return 0;
}
