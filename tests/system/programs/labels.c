/* Uses every part of profd.h. */
#include <profd.h>

#include "tests/system/programs/burn.h"

int main(void)
{
    profd_set_process_name("labelled");
    profd_register_thread("first thread");
    {
        PROFD_LABEL_SCOPE("outer label", PROFD_CATEGORY_COMPUTE);
        uint64_t start = PROFD_NOW();
        burn_outer(0.1);
        PROFD_LABEL_PUSH("inner label", PROFD_CATEGORY_PARSE);
        PROFD_MARKER("instant", PROFD_CATEGORY_OTHER);
        PROFD_MARKER_TEXT("with text", PROFD_CATEGORY_OTHER, "some text");
        PROFD_MARKER_START("span", PROFD_CATEGORY_LOCK, "begin");
        burn_outer(0.1);
        PROFD_MARKER_END("span", PROFD_CATEGORY_LOCK, "end");
        PROFD_LABEL_POP();
        PROFD_MARKER_INTERVAL("interval", PROFD_CATEGORY_NETWORK, start, "it took a while");
    }
    return 0;
}
