// What the load tools share: time, sockets, epoll, and the tokens on which client and origin agree.
#pragma once
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SOURCES 16 // client addresses, 127.0.0.1 and up: 28,000 ports each

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void fail(const char *what) {
  perror(what);
  exit(1);
}

static inline void *room(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) fail("calloc");
  return memory;
}

static inline void watch(int epoll, int fd, uint32_t events, void *data, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = data};
  if (epoll_ctl(epoll, operation, fd, &event)) fail("epoll_ctl");
}

static inline void no_delay(int fd) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

// A connection that is being made, from the source-th address.
static inline int dial(int port, int source) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  if (fd < 0) fail("socket");
  no_delay(fd);
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001 + source % SOURCES)};
  if (bind(fd, (void *)&from, sizeof from)) fail("bind");
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(0x7F000001)};
  if (connect(fd, (void *)&to, sizeof to) && errno != EINPROGRESS) fail("connect");
  return fd;
}

// Ends a connection at once and leaves no port waiting behind.
static inline void reset(int fd) {
  struct linger at_once = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(fd);
}

// Waits with nanoseconds; a negative time is none.
static inline int wait_for(int epoll, struct epoll_event *events, int count, int64_t ns) {
  if (ns < 0) ns = 0;
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  int ready = epoll_pwait2(epoll, events, count, &t, NULL);
  if (ready < 0 && errno != EINTR) fail("epoll_pwait2");
  return ready < 0 ? 0 : ready;
}

// The value of a field in a head that ends in a zero byte, or NULL. Names are given as ": name:" would be found.
static inline const char *field(const char *head, const char *name) {
  size_t length = strlen(name);
  for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
      line += length + 1;
      return line + strspn(line, " ");
    }
  }
  return NULL;
}

// Every number gets a token of its own: the mixer of SplitMix64 is one to one.
static inline void write_token(char out[17], uint64_t number) {
  uint64_t z = number + 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  snprintf(out, 17, "%016llx", (unsigned long long)(z ^ (z >> 31)));
}

// What the origin says: the path's token (a few times), the field's, and the body it was sent.
static inline size_t write_echo(char *out, const char *path, const char *field, const char *body, size_t length) {
  char *at = out;
  for (int i = 0; i <= (path[15] & 15); i++, at += 17) {
    memcpy(at, path, 16);
    at[16] = ' ';
  }
  memcpy(at, field, 16);
  at[16] = ' ';
  memcpy(at + 17, body, length);
  return at + 17 + length - out;
}
#define ECHO_EXTRA (18 * 17)
