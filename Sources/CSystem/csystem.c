#define _GNU_SOURCE
#include <malloc.h>
#include "csystem.h"

#include <linux/openat2.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int td_accept_nonblocking(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int td_usable_cores(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int td_open_beneath(int directory, const char *name, int flags, unsigned mode) {
  struct open_how how = {
      .flags = (unsigned)flags, .mode = mode, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  return (int)syscall(SYS_openat2, directory, name, &how, sizeof how);
}

int td_sync_file_system(int descriptor) { return syncfs(descriptor); }

void td_give_back_memory(void) { malloc_trim(0); }

const void *td_find(const void *text, size_t count, const void *pattern, size_t length) {
  return memmem(text, count, pattern, length);
}
