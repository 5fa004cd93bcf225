#include "daemon/agents/admission.h"

#include <assert.h>

void admission_init(struct admission *admission, uid_t owner, size_t descriptors)
{
    *admission = (struct admission){ .owner = owner, .descriptors = descriptors };
}

bool admission_is_stranger(const struct admission *admission, uid_t uid)
{
    return uid != 0 && uid != admission->owner;
}

/* NULL: UID has no silent connection. */
static struct admission_user *find_user(struct admission *admission, uid_t uid)
{
    for (size_t i = 0; i < admission->users; i++) {
        if (admission->user[i].uid == uid)
            return &admission->user[i];
    }
    return NULL;
}

static bool is_reserved(const struct admission *admission, int fd)
{
    return (size_t)fd >= admission->descriptors - admission->descriptors / ADMISSION_RESERVE_SHARE;
}

static size_t most_silent(const struct admission *admission)
{
    size_t share = admission->descriptors / ADMISSION_SILENT_SHARE;
    return share < ADMISSION_SILENT_OF_ALL ? share : ADMISSION_SILENT_OF_ALL;
}

bool admission_enter(struct admission *admission, uid_t uid, int fd)
{
    if (!admission_is_stranger(admission, uid)) {
        admission->owner_silent++;
        return true;
    }
    if (is_reserved(admission, fd) || admission->silent >= most_silent(admission))
        return false;
    struct admission_user *user = find_user(admission, uid);
    if (user == NULL) {
        /* There is room: each of them has a silent connection. */
        user = &admission->user[admission->users++];
        *user = (struct admission_user){ .uid = uid };
    }
    if (user->silent == ADMISSION_SILENT_OF_USER)
        return false;
    user->silent++;
    admission->silent++;
    return true;
}

bool admission_owner_is_over(const struct admission *admission)
{
    size_t share = admission->descriptors / ADMISSION_OWNER_SHARE / ADMISSION_OWNER_DESCRIPTORS;

    return admission->owner_silent > (share > 0 ? share : 1);
}

void admission_leave(struct admission *admission, uid_t uid)
{
    if (!admission_is_stranger(admission, uid)) {
        assert(admission->owner_silent > 0);
        admission->owner_silent--;
        return;
    }
    struct admission_user *user = find_user(admission, uid);
    assert(user != NULL);
    admission->silent--;
    if (--user->silent == 0)
        *user = admission->user[--admission->users];
}
