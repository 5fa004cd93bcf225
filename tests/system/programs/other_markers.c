/* Has a marker type of the same name as one of markers.c, and of another schema. */
#include <unistd.h>

#include <profd.h>

#define REQUEST_FIELDS(FIELD) FIELD(UNIQUE_STRING, verb, "Verb")
PROFD_MARKER_TYPE(request, REQUEST_FIELDS, .table_label = "{marker.data.verb}");

int main(int argc, char **argv)
{
    PROFD_MARKER_TYPED(request, "other request", PROFD_CATEGORY_NETWORK, profd_instant(), "PUT");
    return argc > 1 ? execv(argv[1], argv + 1) : 0;
}
