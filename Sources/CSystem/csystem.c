#define _GNU_SOURCE
#include "csystem.h"

int td_accept_nonblocking(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
