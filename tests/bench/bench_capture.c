/* bench_capture SOCKET FILE [raw]: a capture as profd makes it, without what profctl does with it.
 * Prints how many seconds it took. */
#include <fcntl.h>
#include <stdio.h>

#include "tests/bench/bench.h"
#include "tests/fake_agent.h"

static double start_ns;

static void obey_message(struct fake_agent *agent, const uint8_t *payload, size_t bytes)
{
    struct message_reply reply;
    (void)agent;

    if (message_peek_kind(payload, bytes) != MESSAGE_REPLY)
        return;
    if (message_get_reply(payload, bytes, &reply) < 0 || reply.error != 0)
        exit(FAKE_AGENT_FAILED);
    printf("%.6f\n", (bench_now_ns() - start_ns) / 1e9);
    exit(0);
}

int main(int argc, char **argv)
{
    static struct fake_agent client;
    const struct message_client_hello hello = { .protocol_version = PROTOCOL_VERSION };
    const struct message_client_capture capture = { .id = 1,
                                                    .timeout_ms = 600000,
                                                    .is_raw = argc == 4 };
    bool is_complete = argc == 3 || argc == 4;

    client.profd = is_complete ? socket_connect(argv[1], 0) : -1;
    int file = is_complete ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (client.profd < 0 || file < 0)
        return 2;
    frame_reader_init(&client.reader);
    fake_agent_send(
        &client,
        message_put_client_hello(client.frame, MESSAGE_MAX_BYTES, MESSAGE_CLIENT_HELLO, &hello),
        -1);
    start_ns = bench_now_ns();
    fake_agent_send(&client,
                    message_put_client_capture(client.frame, MESSAGE_MAX_BYTES,
                                               MESSAGE_CLIENT_CAPTURE, &capture),
                    file);
    for (;;)
        fake_agent_serve(&client, -1, obey_message);
}
