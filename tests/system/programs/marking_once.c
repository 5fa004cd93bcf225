/* marking_once: records one marker, before its clock can have ticked, and is killed. */
#include <profd.h>
#include <signal.h>

int main(void)
{
    PROFD_MARKER("first words", PROFD_CATEGORY_OTHER);
    return raise(SIGKILL);
}
