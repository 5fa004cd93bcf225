/* notified SOCKET FILE: a service manager that listens at SOCKET for what its services tell
 * (sd_notify), and adds each message to FILE, a line for each of its assignments. Until it is
 * killed. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { MESSAGE_BYTES = 4096 };

int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char message[MESSAGE_BYTES];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (argc != 3 || fd < 0 || strlen(argv[1]) >= sizeof(address.sun_path))
        return 2;
    strcpy(address.sun_path, argv[1]);
    FILE *out = fopen(argv[2], "we");
    if (out == NULL || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return 1;
    for (;;) {
        ssize_t got = recv(fd, message, sizeof(message), 0);
        if (got < 0)
            return 1;
        if (fprintf(out, "%.*s\n", (int)got, message) < 0 || fflush(out) != 0)
            return 1;
    }
}
