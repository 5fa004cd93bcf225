/* prefork-load: sends requests to the prefork server, on loopback only.
 *
 *     prefork-load PORT [REQUESTS [SECONDS [CLIENTS]]]
 *
 * CLIENTS threads share REQUESTS requests; after SECONDS no more are sent. Prints how many were
 * answered; the status is 1 when one was not. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLIENTS = 64, REQUESTS_PER_CONNECTION = 20, RECORDS = 200, BODY_BYTES = 32 * 1024 };

struct load {
    uint16_t port;
    long requests;
    int64_t end_ms;
    atomic_long sent, answered, failed;
    char request[BODY_BYTES + 256];
    size_t request_bytes;
};

static int64_t monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* A request whose body is a list of records, as an application might post. */
static void compose_request(struct load *load)
{
    static char body[BODY_BYTES];
    size_t used = 0;
    for (unsigned i = 0; i < RECORDS; i++)
        used +=
            (size_t)snprintf(body + used, sizeof(body) - used,
                             "%c{\"id\":%u,\"name\":\"item %u\",\"price\":%u.%02u,\"tags\":"
                             "[\"new\",\"used\",null],\"stock\":{\"here\":%u,\"there\":%u}}",
                             i == 0 ? '[' : ',', i, i * 7919, i * 13 % 997, i % 100, i % 17, i % 5);
    used += (size_t)snprintf(body + used, sizeof(body) - used, "]");
    load->request_bytes =
        (size_t)snprintf(load->request, sizeof(load->request),
                         "POST /items HTTP/1.1\r\nHost: localhost\r\nX-Rounds: 4\r\n"
                         "Content-Length: %zu\r\n\r\n%s",
                         used, body);
}

static int connect_to_server(const struct load *load)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(load->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -errno;
    if (connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0)
        return connection;
    int error = -errno;
    close(connection);
    return error;
}

static int send_request(const struct load *load, int connection)
{
    size_t done = 0;
    while (done < load->request_bytes) {
        ssize_t sent =
            send(connection, load->request + done, load->request_bytes - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return -errno;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

/* An answer is short and ends with its body's closing brace. */
static int receive_answer(int connection)
{
    char answer[1024];
    size_t filled = 0;
    while (filled < sizeof(answer) - 1) {
        ssize_t got = read(connection, answer + filled, sizeof(answer) - 1 - filled);
        if (got == 0)
            return -ECONNRESET;
        if (got < 0 && errno != EINTR)
            return -errno;
        filled += got > 0 ? (size_t)got : 0;
        if (filled > 0 && answer[filled - 1] == '}')
            break;
    }
    answer[filled] = '\0';
    return strncmp(answer, "HTTP/1.1 200 ", 13) == 0 ? 0 : -EBADMSG;
}

static int run_connection(struct load *load)
{
    int connection = connect_to_server(load);
    int error = connection < 0 ? connection : 0;
    for (int i = 0; i < REQUESTS_PER_CONNECTION && error == 0; i++) {
        if (monotonic_ms() >= load->end_ms || atomic_fetch_add(&load->sent, 1) >= load->requests)
            break;
        error = send_request(load, connection);
        if (error == 0)
            error = receive_answer(connection);
        if (error == 0)
            atomic_fetch_add(&load->answered, 1);
    }
    if (connection >= 0)
        close(connection);
    return error;
}

static void *client_main(void *argument)
{
    struct load *load = argument;
    while (monotonic_ms() < load->end_ms && atomic_load(&load->sent) < load->requests) {
        int error = run_connection(load);
        if (error < 0) {
            fprintf(stderr, "prefork-load: %s\n", strerror(-error));
            atomic_fetch_add(&load->failed, 1);
            break;
        }
    }
    return NULL;
}

static long argument_or(int argc, char **argv, int position, long usual)
{
    return position < argc ? strtol(argv[position], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
    static struct load load;
    pthread_t clients[MAX_CLIENTS];
    long wanted = argument_or(argc, argv, 4, 8), started = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: prefork-load PORT [REQUESTS [SECONDS [CLIENTS]]]\n");
        return 2;
    }
    load.port = (uint16_t)strtoul(argv[1], NULL, 10);
    load.requests = argument_or(argc, argv, 2, 1000000);
    load.end_ms = monotonic_ms() + 1000 * argument_or(argc, argv, 3, 3);
    compose_request(&load);
    while (started < wanted && started < MAX_CLIENTS &&
           pthread_create(&clients[started], NULL, client_main, &load) == 0)
        started++;
    for (long i = 0; i < started; i++)
        pthread_join(clients[i], NULL);
    printf("%ld requests answered\n", atomic_load(&load.answered));
    return atomic_load(&load.failed) == 0 && started > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
