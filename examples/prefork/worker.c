#include "examples/prefork/worker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <profd.h>

#include "examples/prefork/queue.h"
#include "examples/prefork/serve.h"

struct pool_thread {
    pthread_t thread;
    unsigned index;
    struct queue *queue;
};

static void *pool_main(void *argument)
{
    struct pool_thread *self = argument;
    char name[32];
    int connection;
    snprintf(name, sizeof(name), "pool %u", self->index);
    profd_register_thread(name);
    while ((connection = queue_take(self->queue)) >= 0) {
        serve_connection(connection);
        close(connection);
    }
    return NULL;
}

static void accept_one(int listener, struct queue *queue)
{
    PROFD_LABEL_SCOPE("accept", PROFD_CATEGORY_NETWORK);
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) {
        PROFD_MARKER("connection", PROFD_CATEGORY_NETWORK);
        queue_put(queue, connection);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        perror("prefork: accept");
    }
}

/* Accepts until SIGTERM is pending. */
static int accept_until_told(int listener, struct queue *queue)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    int told = signalfd(-1, &signals, SFD_CLOEXEC);
    if (told < 0)
        return -errno;
    struct pollfd polled[] = { { listener, POLLIN, 0 }, { told, POLLIN, 0 } };
    while (polled[1].revents == 0) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            break;
        if (polled[0].revents != 0)
            accept_one(listener, queue);
    }
    close(told);
    return polled[1].revents != 0 ? 0 : -errno;
}

int worker_run(int listener, unsigned index, unsigned thread_count)
{
    static struct queue queue = QUEUE_INITIALIZER;
    struct pool_thread threads[WORKER_MAX_THREADS];
    unsigned started = 0;
    char name[32];
    int error = 0;

    snprintf(name, sizeof(name), "worker %u", index);
    profd_set_process_name(name);
    for (; started < thread_count && error == 0; started += error == 0) {
        threads[started].index = started;
        threads[started].queue = &queue;
        error = pthread_create(&threads[started].thread, NULL, pool_main, &threads[started]);
    }
    if (error == 0)
        error = -accept_until_told(listener, &queue);
    queue_close(&queue);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i].thread, NULL);
    return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
