/* One connection: reads requests, does their work, answers. */
#ifndef PREFORK_SERVE_H
#define PREFORK_SERVE_H

/* Serves CONNECTION (blocking; stays the caller's) until the client closes it or misbehaves. */
void serve_connection(int connection);

#endif
