#define _GNU_SOURCE
#include "csystem.h"

#include <sched.h>
#include <unistd.h>

int td_accept_nonblocking(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int td_usable_cores(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int td_sync_file_system(int descriptor) { return syncfs(descriptor); }
