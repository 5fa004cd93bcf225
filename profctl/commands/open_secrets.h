/* Tells the user of secrets that are about to be sent in the open: not over TLS, anybody on the way
 * can read them. Nothing is said of a server on this host. */
#ifndef PROFD_PROFCTL_OPEN_SECRETS_H
#define PROFD_PROFCTL_OPEN_SECRETS_H

#include "common/clickhouse_url.h"
#include "common/push_url.h"

/* Each says one line if URL has the secret, is not TLS, and is of another host. */
void open_secrets_tell_password(const struct clickhouse_url *url);
void open_secrets_tell_token(const struct push_url *url);

#endif
