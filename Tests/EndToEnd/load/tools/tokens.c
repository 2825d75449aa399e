// Sends requests that each carry a token of their own in path, field and body, over many connections, and holds every
// byte that comes back against the one answer it may be. Says what came of them, as JSON.
//
//   tokens PORT COUNT CONNECTIONS FAULTS_PER_MILLE FIRST
//
// Every eighth connection pipelines four requests. FAULTS_PER_MILLE of the requests ask the origin to misbehave.
#include "net.h"

#define BUFFER (1 << 19)
#define DEPTH 4
#define PATIENCE_NS 60000000000LL

typedef struct {
  char token[17], field_token[17], body[17];
  char fault;
  long number;
  int is_post;
  size_t body_length;
} Ask;

typedef struct {
  int fd, is_open, source, depth, first, under_way;
  Ask asked[DEPTH];
  size_t have, unsent;
  char *in, *out;
} Line;

static struct {
  long asked, answered, whole, refused, refused_well, cut, crossed, wrong, lost;
} seen;

static int epoll, port, faults;
static long count, first_number, drawn_alone, drawn_pipelined;
static Line *lines;
static char expected[BUFFER];

// Four of nine kinds must fail, the others must come through all the same. A pipelined request is never cut, since what
// is behind it on the connection would be lost.
static char fault_of(long number) {
  uint64_t dice = (number + 1) * 0x9E3779B97F4A7C15ULL >> 33;
  if ((int)(dice % 1000) >= faults) return 'o';
  const char *kinds = number % 4 ? "rgcdsehRx" : "rgcdsecdx";
  return kinds[dice / 1000 % 9];
}

// What a number means does not depend on who draws it: every fourth is for the lines that pipeline.
static long draw(const Line *line) {
  long number = line->depth > 1 ? 4 * drawn_pipelined : drawn_alone / 3 * 4 + drawn_alone % 3 + 1;
  if (number >= count) return -1;
  if (line->depth > 1) drawn_pipelined++;
  else drawn_alone++;
  return number;
}

static void plan(Ask *ask, long number) {
  ask->number = number += first_number;
  write_token(ask->token, 3 * number);
  write_token(ask->field_token, 3 * number + 1);
  write_token(ask->body, 3 * number + 2);
  ask->fault = fault_of(number);
  ask->is_post = number / 4 % 2;
  ask->body_length = !ask->is_post ? 0 : 16 * (number % 61 == 0 ? 2500 : 1 + number % 23);
}

static void fill_body(char *out, const Ask *ask) {
  for (size_t at = 0; at < ask->body_length; at += 16) memcpy(out + at, ask->body, 16);
}

static int ask_next(Line *line) {
  long number = draw(line);
  if (number < 0) return 0;
  Ask *ask = &line->asked[(line->first + line->under_way++) % DEPTH];
  plan(ask, number);
  seen.asked++;
  char *out = line->out + line->unsent;
  int head = sprintf(out, "%s /t/%s/%c HTTP/1.1\r\nHost: load\r\nX-Mark: %s\r\nX-Number: %ld\r\n",
    ask->is_post ? "POST" : "GET", ask->token, ask->fault, ask->field_token, ask->number);
  if (ask->is_post) head += sprintf(out + head, "Content-Length: %zu\r\n", ask->body_length);
  head += sprintf(out + head, "\r\n");
  fill_body(out + head, ask);
  line->unsent += head + ask->body_length;
  return 1;
}

static void open_line(Line *line) {
  line->fd = dial(port, line->source);
  line->is_open = 1;
  line->have = line->unsent = 0;
  line->first = line->under_way = 0;
  watch(epoll, line->fd, EPOLLIN | EPOLLOUT | EPOLLET, line, EPOLL_CTL_ADD);
}

static void flush(Line *line) {
  while (line->is_open && line->unsent) {
    ssize_t sent = send(line->fd, line->out, line->unsent, MSG_NOSIGNAL);
    if (sent < 0) return; // a broken line is noticed by reading
    memmove(line->out, line->out + sent, line->unsent -= sent);
  }
}

static size_t expect(const Ask *ask) {
  static char body[BUFFER / 8];
  fill_body(body, ask);
  return write_echo(expected, ask->token, ask->field_token, body, ask->body_length);
}

static void complain(const char *what, const Ask *ask, const char *head) {
  static int complaints;
  if (complaints++ < 5) fprintf(stderr, "%s: number %ld, fault %c:\n%.600s\n", what, ask->number, ask->fault, head);
}

// Joins the chunks of a body where they lie; the length, or -1 when the end has not come.
static long join_chunks(char *body, char *end, char **rest) {
  char *to = body, *at = body;
  while (1) {
    char *line_end = memmem(at, end - at, "\r\n", 2);
    if (!line_end) return -1;
    size_t size = strtoul(at, NULL, 16);
    at = line_end + 2;
    if ((size_t)(end - at) < size + 2) return -1;
    memmove(to, at, size);
    to += size;
    at += size + 2;
    if (!size) break;
  }
  *rest = at;
  return to - body;
}

static int is_chunked_whole(const char *body, const char *end) {
  return end - body >= 5 && memmem(body, end - body, "0\r\n\r\n", 5) != NULL;
}

static void judge(const Ask *ask, const char *head, const char *body, size_t length) {
  int must_fail = strchr("rghR", ask->fault) != NULL;
  const char *token = field(head, "X-Mark");
  seen.answered++;
  if (strncmp(head, "HTTP/1.1 200", 12) != 0) {
    seen.refused++;
    seen.refused_well += must_fail;
    if (!must_fail && ask->fault != 'e') complain("refused", ask, head);
    return;
  }
  size_t wanted = expect(ask);
  int is_own = token && strncmp(token, ask->field_token, 16) == 0 && length == wanted
    && memcmp(body, expected, wanted) == 0;
  if (is_own && !must_fail) seen.whole++;
  else if (is_own) seen.wrong++;
  else seen.crossed++;
  if (!is_own || must_fail) complain(is_own ? "whole though cut" : "CROSSED", ask, head);
}

static int take_answer(Line *line) {
  line->in[line->have] = 0;
  char *end = strstr(line->in, "\r\n\r\n"), *rest = NULL;
  if (!end || !line->under_way) return 0;
  char *body = end + 4;
  const char *framing = field(line->in, "Content-Length");
  long length = framing && framing < end ? strtol(framing, NULL, 10) : -1;
  if (length >= 0) {
    if (line->in + line->have - body < length) return 0;
    rest = body + length;
  } else if (!is_chunked_whole(body, line->in + line->have)
    || (length = join_chunks(body, line->in + line->have, &rest)) < 0) {
    return 0;
  }
  end[2] = 0;
  judge(&line->asked[line->first], line->in, body, length);
  line->first = (line->first + 1) % DEPTH;
  line->under_way--;
  line->have -= rest - line->in;
  memmove(line->in, rest, line->have);
  return 1;
}

// The connection broke: what had come of the first answer must still be its own.
static void break_line(Line *line) {
  const Ask *ask = &line->asked[line->first];
  line->in[line->have] = 0;
  char *end = strstr(line->in, "\r\n\r\n");
  if (line->under_way && end) {
    size_t partial = line->in + line->have - end - 4;
    int is_own = partial < expect(ask) && memcmp(end + 4, expected, partial) == 0;
    seen.crossed += !is_own;
    if (!is_own) complain("CROSSED, in part", ask, line->in);
  }
  int is_cut = line->under_way && strchr("hR", ask->fault);
  seen.cut += is_cut;
  seen.lost += line->under_way - is_cut;
  if (line->under_way && !is_cut) complain("lost", ask, line->in);
  close(line->fd);
  line->is_open = 0;
}

static void serve(Line *line) {
  while (line->is_open) {
    ssize_t got = recv(line->fd, line->in + line->have, BUFFER - 1 - line->have, 0);
    if (got < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
    if (got <= 0) {
      break_line(line);
      break;
    }
    line->have += got;
    while (take_answer(line)) {}
  }
  if (!line->is_open && seen.asked < count) open_line(line);
  if (!line->is_open) return;
  while (line->under_way < line->depth && ask_next(line)) {}
  flush(line);
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  port = atoi(argv[1]);
  count = atol(argv[2]);
  int line_count = atoi(argv[3]);
  faults = atoi(argv[4]);
  first_number = atol(argv[5]);
  epoll = epoll_create1(0);
  lines = room(line_count * sizeof *lines);
  int64_t start = now_ns(), heard = start;
  for (int i = 0; i < line_count; i++) {
    lines[i] = (Line){.source = i, .depth = i % 8 ? 1 : DEPTH, .in = room(BUFFER), .out = room(BUFFER)};
    open_line(&lines[i]);
  }
  while (seen.answered + seen.cut + seen.lost < count && now_ns() - heard < PATIENCE_NS) {
    struct epoll_event events[256];
    int ready = wait_for(epoll, events, 256, 1000000000LL);
    if (ready) heard = now_ns();
    for (int i = 0; i < ready; i++) {
      Line *line = events[i].data.ptr;
      flush(line);
      serve(line);
    }
  }
  printf("{\"asked\":%ld,\"answered\":%ld,\"whole\":%ld,\"refused\":%ld,\"refused_well\":%ld,\"cut\":%ld,"
    "\"crossed\":%ld,\"wrong\":%ld,\"lost\":%ld,\"seconds\":%.3f}\n", seen.asked, seen.answered, seen.whole,
    seen.refused, seen.refused_well, seen.cut, seen.crossed, seen.wrong, seen.lost, (now_ns() - start) / 1e9);
}
