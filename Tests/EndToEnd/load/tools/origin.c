// An origin that answers with the tokens it was sent, and misbehaves where the path says so:
// /t/TOKEN/FAULT. Any other path is answered with a few bytes, which makes it the yardstick of a bare epoll loop too.
// Prints its port; at the end of standard input it prints what it saw, as JSON, and ends.
#include "net.h"

#define BUFFER (1 << 17)
#define PAUSE_NS 30000000LL
#define NUMBERS (1 << 21)

typedef struct Line {
  int fd, is_open, ends; // ends: 1 close, 2 reset, once everything is sent
  int64_t resumes_at;    // 0: not waiting
  size_t have, unsent, held; // held: bytes of the output that wait for resumes_at
  struct Line *next_waiting;
  char *in, *out;
} Line;

static int epoll;
static Line *waiting_first, *waiting_last, *spare[4096];
static int spare_count;
static unsigned char posts[NUMBERS];
static long requests, posts_twice, connections;

static void end_line(Line *line) {
  if (!line->is_open) return;
  line->is_open = 0;
  if (line->ends == 2) reset(line->fd);
  else close(line->fd);
  if (!line->resumes_at && spare_count < 4096) spare[spare_count++] = line;
}

static void flush(Line *line) {
  while (line->unsent > line->held) {
    ssize_t count = send(line->fd, line->out, line->unsent - line->held, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN) end_line(line);
      return;
    }
    memmove(line->out, line->out + count, line->unsent -= count);
  }
  if (line->ends && !line->held && !line->resumes_at) end_line(line);
}

// Keeps the last bytes of the output back for a while. All pauses are equal, so those who wait form a queue.
static void pause_before(Line *line, size_t held) {
  line->held = held;
  line->resumes_at = now_ns() + PAUSE_NS;
  line->next_waiting = NULL;
  if (waiting_last) waiting_last->next_waiting = line;
  else waiting_first = line;
  waiting_last = line;
}

static void say(Line *line, const void *bytes, size_t count) {
  if (line->unsent + count > BUFFER) exit(3);
  memcpy(line->out + line->unsent, bytes, count);
  line->unsent += count;
}

static void say_head(Line *line, const char *framing, size_t length, const char *token) {
  char head[256];
  int count = snprintf(head, sizeof head, framing, length);
  say(line, head, count);
  count = snprintf(head, sizeof head, "Content-Type: text/plain\r\nX-Mark: %.16s\r\n\r\n", token);
  say(line, head, count);
}

#define LENGTH "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"

static void say_chunks(Line *line, const char *body, size_t length) {
  for (size_t at = 0, size; at < length; at += size) {
    char head[32];
    size = length - at < 100 ? length - at : length / 3 + 1;
    if (size > length - at) size = length - at;
    say(line, head, snprintf(head, sizeof head, "%zx\r\n", size));
    say(line, body + at, size);
    say(line, "\r\n", 2);
  }
  say(line, "0\r\n\r\n", 5);
}

static void misbehave(Line *line, const char *fault, const char *token, const char *body, size_t length) {
  int is = *fault;
  if (is == 'r') { // reset, nothing said
    line->ends = 2;
  } else if (is == 'g') { // garbage
    say(line, "HTTP/1.1 2OO OK\r\nContent-Length: ten\r\n\r\n", 39);
    line->ends = 1;
  } else if (is == 'c') { // chunked
    say_head(line, CHUNKED, 0, token);
    say_chunks(line, body, length);
  } else if (is == 'h' || is == 'R') { // half of it, then the end or a reset
    say_head(line, LENGTH, length, token);
    say(line, body, length / 2);
    line->ends = is == 'h' ? 1 : 2;
  } else {
    say_head(line, LENGTH, length, token);
    say(line, body, length);
    if (is == 'd') pause_before(line, line->unsent); // delayed
    if (is == 's') pause_before(line, length / 2); // split
    if (is == 'e') line->ends = 1; // ends the connection without a word
    if (is == 'x') { // an answer nobody asked for
      say_head(line, LENGTH, 22, "STRAYSTRAYSTRAYS");
      say(line, "STRAYSTRAYSTRAYSTRAYST", 22);
    }
  }
}

static void answer(Line *line, const char *head, const char *body, size_t length) {
  static char echo[BUFFER];
  requests++;
  const char *path = strchr(head, ' ') + 1;
  if (strncmp(path, "/t/", 3) != 0) {
    say_head(line, LENGTH, 2, "-");
    return say(line, "ok", 2);
  }
  const char *token = field(head, "X-Mark"), *number = field(head, "X-Number");
  if (!token || !number) exit(4);
  long n = strtol(number, NULL, 10);
  if (head[0] == 'P' && n < NUMBERS && posts[n]++) posts_twice++;
  size_t count = write_echo(echo, path + 3, token, body, length);
  misbehave(line, path + 20, token, echo, count);
}

// Answers the first whole request in the buffer; 0 when there is none.
static int take_request(Line *line) {
  line->in[line->have] = 0;
  char *end = strstr(line->in, "\r\n\r\n");
  if (!end) return 0;
  char *body = end + 4;
  const char *length = field(line->in, "Content-Length");
  size_t count = length && length < end ? strtoul(length, NULL, 10) : 0;
  size_t whole = body - line->in + count;
  if (whole > line->have) return 0;
  end[2] = 0;
  answer(line, line->in, body, count);
  memmove(line->in, line->in + whole, line->have -= whole);
  return 1;
}

static void hear(Line *line) {
  while (line->is_open) {
    ssize_t count = recv(line->fd, line->in + line->have, BUFFER - 1 - line->have, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return end_line(line);
    line->have += count;
    while (line->is_open && !line->ends && !line->resumes_at && take_request(line)) {}
    if (line->is_open) flush(line);
  }
}

static void resume_due(void) {
  while (waiting_first && waiting_first->resumes_at <= now_ns()) {
    Line *line = waiting_first;
    waiting_first = line->next_waiting;
    if (!waiting_first) waiting_last = NULL;
    line->held = line->resumes_at = 0;
    if (line->is_open) {
      flush(line);
      while (line->is_open && !line->ends && !line->resumes_at && take_request(line)) flush(line);
    } else if (spare_count < 4096) {
      spare[spare_count++] = line;
    }
  }
}

static void open_lines(int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0; connections++) {
    no_delay(fd);
    Line *line = spare_count ? spare[--spare_count] : room(sizeof *line);
    char *in = line->in ? line->in : room(BUFFER), *out = line->out ? line->out : room(BUFFER);
    *line = (Line){.fd = fd, .is_open = 1, .in = in, .out = out};
    watch(epoll, fd, EPOLLIN | EPOLLOUT | EPOLLET, line, EPOLL_CTL_ADD);
  }
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001)};
  socklen_t size = sizeof at;
  if (listener < 0 || bind(listener, (void *)&at, size) || listen(listener, 4096)) fail("listen");
  getsockname(listener, (void *)&at, &size);
  printf("%d\n", ntohs(at.sin_port));
  fflush(stdout);
  epoll = epoll_create1(0);
  watch(epoll, listener, EPOLLIN, &at, EPOLL_CTL_ADD);
  watch(epoll, 0, EPOLLIN, NULL, EPOLL_CTL_ADD);
  for (int is_running = 1; is_running;) {
    struct epoll_event events[256];
    int64_t pause = waiting_first ? waiting_first->resumes_at - now_ns() : 1000000000LL;
    int count = wait_for(epoll, events, 256, pause);
    for (int i = 0; i < count; i++) {
      Line *line = events[i].data.ptr;
      if (!line) is_running = 0;
      else if ((void *)line == &at) open_lines(listener);
      else {
        if (line->is_open && events[i].events & EPOLLOUT) flush(line);
        if (line->is_open) hear(line);
      }
    }
    resume_due();
  }
  printf("{\"requests\":%ld,\"connections\":%ld,\"posts_twice\":%ld}\n", requests, connections, posts_twice);
}
