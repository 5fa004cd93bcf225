#include "profctl/tables/profile_kind.h"

void profile_kind_note(struct profile_kind *kind, struct json_reader *reader)
{
    kind->has_threads |= json_reader_is(reader, "threads") || json_reader_is(reader, "processes");
    kind->is_cpuprofile |= json_reader_is(reader, "nodes");
}

int profile_kind_check(const struct profile_kind *kind, struct json_reader *reader)
{
    if (kind->has_threads || kind->is_cpuprofile)
        return 0;
    return json_reader_refuse(reader, "neither \"threads\" nor \"processes\" found; expected a "
                                      "capture, or a profile of Firefox or V8");
}

int profile_kind_check_capture(const struct profile_kind *kind, struct json_reader *reader)
{
    if (kind->has_threads || !kind->is_cpuprofile)
        return profile_kind_check(kind, reader);
    return json_reader_refuse(reader, "it is a .cpuprofile; profctl reports on those and converts "
                                      "them, but cannot make captures of them");
}
