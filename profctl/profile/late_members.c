#include "profctl/profile/late_members.h"

#include "profctl/tables/json_text.h"

void late_members_clear(struct late_members *late)
{
    for (int i = 0; i < LATE_MEMBERS; i++) {
        late->texts[i].count = 0;
        late->are_there[i] = false;
    }
}

void late_members_free(struct late_members *late)
{
    for (int i = 0; i < LATE_MEMBERS; i++)
        mapped_array_free(&late->texts[i]);
}

int late_members_keep(struct late_members *late, enum late_member member,
                      struct json_reader *reader)
{
    if (late->are_there[member])
        return json_reader_refuse(reader, "\"%s\" is given twice", late_member_name(member));
    late->are_there[member] = true;
    return json_text_append_value(reader, &late->texts[member]);
}

const char *late_member_name(enum late_member member)
{
    static const char *const names[] = { [LATE_FRAMES] = "frameTable",
                                         [LATE_STACKS] = "stackTable",
                                         [LATE_SAMPLES] = "samples",
                                         [LATE_MARKERS] = "markers" };

    return names[member];
}
