/* clocked SOCKET CLOCK REFUSAL INTERVAL_NS: an agent that samples nothing and tells which clock it
 * has (common/sampling_clock.h), in numbers, until it is killed. It prints a line "told CLOCK" with
 * the clock of each session that profd tells it of. */
#include <stdio.h>

#include "tests/fake_agent.h"

enum { ARENA_BYTES = 16 * CHUNK_BYTES };

static struct fake_agent agent;
static char **arguments;

static void begin_session(const struct message_session *session)
{
    struct arena_header *header = agent.arena.header;

    if (session->generation == 0)
        return;
    atomic_store(&header->session_start_ns, fake_agent_now_ns());
    atomic_store(&header->interval_ns, session->interval_ns);
    atomic_store(&header->generation, (uint32_t)session->generation);
    atomic_store(&header->sampling_clock, (uint32_t)strtoul(arguments[2], NULL, 10));
    atomic_store(&header->sampling_clock_refusal, (uint32_t)strtoul(arguments[3], NULL, 10));
    atomic_store(&header->sampling_interval_ns, strtoull(arguments[4], NULL, 10));
    fake_agent_started(&agent, session->generation);
    printf("told %s\n", sampling_clock_name((enum sampling_clock)session->clock));
    fflush(stdout);
}

static void obey_message(struct fake_agent *self, const uint8_t *payload, size_t bytes)
{
    struct message_welcome welcome;
    struct message_session session;

    (void)self;
    switch (message_peek_kind(payload, bytes)) {
    case MESSAGE_WELCOME:
        if (message_get_welcome(payload, bytes, &welcome) == 0)
            begin_session(&welcome.session);
        break;
    case MESSAGE_ENSURE_STARTED:
        if (message_get_session(payload, bytes, &session) == 0)
            begin_session(&session);
        break;
    }
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    arguments = argv;
    fake_agent_begin(&agent, argv[1], ARENA_BYTES);
    for (;;)
        fake_agent_serve(&agent, -1, obey_message);
}
