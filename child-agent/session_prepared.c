/* The session that begins as soon as there is something to record. */
#include "child-agent/core.h"
#include "child-agent/recording_word.h"
#include "child-agent/session_inside.h"
#include "common/apart.h"

const struct session_settings *session_prepared_settings(void)
{
    return session_now.settings.generation != 0 && !core_local.has_arena ? &session_now.settings
                                                                         : NULL;
}

void session_prepare(const struct session_settings *settings)
{
    bool is_other = settings->generation != session_now.settings.generation;
    session_settings_copy(&session_now.settings, settings);
    if (is_other)
        session_count();
}

void session_forget_prepared(void)
{
    session_now.settings.generation = 0;
    recording_word_set(0);
}

bool session_prepared_is_current(void)
{
    return session_now.settings.generation != 0 &&
           session_read_word().generation == session_now.settings.generation;
}

bool session_prepared_is_paused(void)
{
    struct session_word word = session_read_word();
    return word.is_paused || word.is_sampling_paused;
}

void session_invite_records(void)
{
    /* A write would cost each forked child a page. */
    if (session_now.settings.is_paused || session_now.settings.is_sampling_paused)
        session_now.settings.is_paused = session_now.settings.is_sampling_paused = false;
    session_open_recording(session_read_word().is_paused);
}

int session_start_prepared(void)
{
    static LARGE_APART struct session_settings settings; /* a forked child may have little stack */
    if (session_now.settings.generation == 0)
        return 0;
    session_settings_copy(&settings, &session_now.settings);
    session_now.settings.generation = 0;
    return session_start_counted(&settings); /* the labels that are pushed stay pushed */
}
