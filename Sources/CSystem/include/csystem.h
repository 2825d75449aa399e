// Linux calls and constants that the Glibc module does not show to Swift. Declares; decides nothing.
#pragma once
#include "isolation.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum {
  td_epoll_in = EPOLLIN,
  td_epoll_out = EPOLLOUT,
  td_epoll_read_end = EPOLLRDHUP,
  td_epoll_error = EPOLLERR,
  td_epoll_hang_up = EPOLLHUP,
};

int td_accept_nonblocking(int listener, struct sockaddr *address, socklen_t *length);

// Cores this process may run on; 1 when the kernel does not tell.
int td_usable_cores(void);

// openat2(2), which Glibc has no wrapper for: opens what is below `directory`, and nothing through a link.
int td_open_beneath(int directory, const char *name, int flags, unsigned mode);

// syncfs(2), which Glibc shows to GNU sources only.
int td_sync_file_system(int descriptor);

// malloc_trim(3): returns to the kernel what was freed but kept.
void td_give_back_memory(void);

// Asks the processor to load bytes that are read soon, and does not wait for them. They need not be there.
static inline void td_prefetch(const void *bytes, size_t count) {
  const char *line = (const char *)((uintptr_t)bytes & ~(uintptr_t)63);
  for (; line < (const char *)bytes + count; line += 64) __builtin_prefetch(line);
}

// memmem(3), which Glibc shows to GNU sources only: where `pattern` first stands in `text`, or NULL.
const void *td_find(const void *text, size_t count, const void *pattern, size_t length);
