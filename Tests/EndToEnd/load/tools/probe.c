// Asks at a fixed rate, whatever comes back (open loop), and measures each answer from the moment its request was
// meant to leave: a server that stalls cannot hide it by slowing its clients down.
//
//   probe PORT PATH CONNECTIONS DEPTH FRESH SHED RATE:SECONDS[,RATE:SECONDS ...]
//
// CONNECTIONS are kept, with up to DEPTH requests under way on each; every FRESH-th request opens one of its own
// (0: none), of which there are 10,000 at most. With SHED a request that finds no room is dropped, else it waits and its waiting counts.
// Prints one JSON object; times in microseconds, "slices" of 100 ms: [begin ms, answers, p50, p99, max, not answered].
#include "net.h"

#define GRACE_NS 5000000000LL
#define SLICE_NS 100000000LL
#define MAX_DEPTH 64
#define MAX_FRESH 10000
enum { WAITING = -1, DROPPED = -2, FAILED = -3 };

typedef struct {
  int fd, is_fresh, is_open;
  int first, under_way; // ring of request numbers
  int asked[MAX_DEPTH];
  size_t have, skip, unsent;
  char in[16384], out[MAX_DEPTH * 128];
} Line;

static int epoll, port, depth, fresh_every, sheds;
static char keep_request[128], fresh_request[128];
static int64_t *due, *latency;
static int total, line_count, dirty_count, settled, fresh_open;
static Line *lines, **dirty, *spare[MAX_FRESH];
static int spare_count;

static void settle(int number, int64_t result) {
  latency[number] = result;
  settled++;
}

static void open_line(Line *line, int source) {
  line->fd = dial(port, source);
  line->is_open = 1;
  line->have = line->skip = line->unsent = 0;
  line->first = line->under_way = 0;
  watch(epoll, line->fd, EPOLLIN | EPOLLOUT | EPOLLET, line, EPOLL_CTL_ADD);
}

static void close_line(Line *line) {
  for (; line->under_way; line->under_way--, line->first = (line->first + 1) % depth)
    settle(line->asked[line->first], FAILED);
  reset(line->fd);
  line->is_open = 0;
  if (!line->is_fresh) return;
  spare[spare_count++] = line;
  fresh_open--;
}

static void flush(Line *line) {
  while (line->unsent) {
    ssize_t count = send(line->fd, line->out, line->unsent, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != ENOTCONN) close_line(line);
      return;
    }
    memmove(line->out, line->out + count, line->unsent -= count);
  }
}

static Line *line_with_room(int number) {
  static int next = 0;
  if (fresh_every && number % fresh_every == 0) {
    if (fresh_open == MAX_FRESH) return NULL;
    fresh_open++;
    Line *line = spare_count ? spare[--spare_count] : room(sizeof(Line));
    line->is_fresh = 1;
    open_line(line, number);
    return line;
  }
  for (int tries = 0; tries < line_count; tries++) {
    Line *line = &lines[next++ % line_count];
    if (!line->is_open) open_line(line, next);
    if (line->under_way < depth) return line;
  }
  return NULL;
}

static int ask(int number) {
  Line *line = line_with_room(number);
  if (!line) return 0;
  const char *request = line->is_fresh ? fresh_request : keep_request;
  size_t length = strlen(request);
  line->asked[(line->first + line->under_way++) % depth] = number;
  if (!line->unsent) dirty[dirty_count++] = line;
  memcpy(line->out + line->unsent, request, length);
  line->unsent += length;
  return 1;
}

// Takes one whole answer off the buffer; 0 when there is none, -1 when the line is at its end.
static int take_answer(Line *line, int64_t now) {
  if (line->skip) return 0;
  line->in[line->have] = 0;
  char *end = strstr(line->in, "\r\n\r\n");
  if (!end) return 0;
  end[2] = 0;
  const char *length = field(line->in, "Content-Length");
  size_t whole = end + 4 - line->in + (length ? strtoul(length, NULL, 10) : 0);
  int is_good = strncmp(line->in, "HTTP/1.1 200", 12) == 0;
  if (!line->under_way) return -1;
  int number = line->asked[line->first];
  line->first = (line->first + 1) % depth;
  line->under_way--;
  settle(number, is_good ? now - due[number] : FAILED);
  if (line->is_fresh) return -1;
  size_t taken = whole < line->have ? whole : line->have;
  line->skip = whole - taken;
  memmove(line->in, line->in + taken, line->have -= taken);
  return 1;
}

static void hear(Line *line) {
  while (line->is_open) {
    ssize_t count = recv(line->fd, line->in + line->have, sizeof line->in - 1 - line->have, 0);
    if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
    if (count <= 0) return close_line(line);
    line->have += count;
    size_t taken = line->skip < line->have ? line->skip : line->have;
    line->skip -= taken;
    if (taken) memmove(line->in, line->in + taken, line->have -= taken);
    int64_t now = now_ns();
    int more;
    while ((more = take_answer(line, now)) > 0) {}
    if (more < 0) close_line(line);
  }
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// "answers, p50, p99, p99.9, max" of the requests from..<to, then how many were not answered.
static void print_facts(int from, int to, int is_slice) {
  int64_t *good = room((to - from + 1) * sizeof *good);
  int count = 0;
  for (int i = from; i < to; i++)
    if (latency[i] >= 0) good[count++] = latency[i] / 1000;
  qsort(good, count, sizeof *good, ascending);
#define AT(share) (count ? (long)good[(int)((count - 1) * (share))] : -1L)
  if (is_slice) printf("%d,%ld,%ld,%ld,%d", count, AT(.5), AT(.99), AT(1.), to - from - count);
  else printf("\"answers\":%d,\"p50\":%ld,\"p99\":%ld,\"p999\":%ld,\"max\":%ld", count, AT(.5), AT(.99), AT(.999), AT(1.));
  free(good);
}

static void report(int64_t start) {
  int dropped = 0, failed = 0, silent = 0;
  for (int i = 0; i < total; i++) {
    dropped += latency[i] == DROPPED;
    failed += latency[i] == FAILED;
    silent += latency[i] == WAITING;
  }
  printf("{\"start\":%lld,\"asked\":%d,\"dropped\":%d,\"failed\":%d,\"silent\":%d,",
    (long long)start, total, dropped, failed, silent);
  print_facts(0, total, 0);
  printf(",\"slices\":[");
  for (int from = 0, to; from < total; from = to) {
    int64_t slice = (due[from] - start) / SLICE_NS;
    for (to = from; to < total && (due[to] - start) / SLICE_NS == slice; to++) {}
    printf("%s[%lld,", from ? "," : "", (long long)slice * 100);
    print_facts(from, to, 1);
    printf("]");
  }
  printf("]}\n");
}

static void plan(const char *schedule, int64_t start) {
  int64_t begin = start;
  for (const char *at = schedule; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    double rate, seconds;
    if (sscanf(at, "%lf:%lf", &rate, &seconds) != 2) exit(2);
    int count = rate * seconds;
    due = realloc(due, (total + count + 1) * sizeof *due);
    if (!due) fail("realloc");
    for (int i = 0; i < count; i++) due[total++] = begin + (int64_t)(i / rate * 1e9);
    begin += (int64_t)(seconds * 1e9);
  }
}

static void run(void) {
  struct epoll_event events[512];
  int64_t end = due[total - 1] + GRACE_NS;
  for (int sent = 0, ready = 0; settled < total && now_ns() < end;) {
    int64_t now = now_ns();
    while (ready < total && due[ready] <= now) ready++;
    while (sent < ready && ask(sent)) sent++;
    for (; sheds && sent < ready; sent++) settle(sent, DROPPED);
    for (int i = 0; i < dirty_count; i++)
      if (dirty[i]->is_open) flush(dirty[i]);
    dirty_count = 0;
    int64_t pause = (ready < total ? due[ready] : end) - now_ns();
    int count = wait_for(epoll, events, 512, pause);
    for (int i = 0; i < count; i++) {
      Line *line = events[i].data.ptr;
      if (line->is_open && events[i].events & EPOLLOUT) flush(line);
      if (line->is_open) hear(line);
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 8) return 2;
  port = atoi(argv[1]);
  line_count = atoi(argv[3]);
  depth = atoi(argv[4]);
  fresh_every = atoi(argv[5]);
  sheds = atoi(argv[6]);
  snprintf(keep_request, sizeof keep_request, "GET %s HTTP/1.1\r\nHost: load\r\n\r\n", argv[2]);
  snprintf(fresh_request, sizeof fresh_request, "GET %s HTTP/1.1\r\nHost: load\r\nConnection: close\r\n\r\n", argv[2]);
  epoll = epoll_create1(0);
  lines = room(line_count * sizeof(Line));
  int64_t start = now_ns() + 20000000;
  plan(argv[7], start);
  latency = room(total * sizeof *latency);
  for (int i = 0; i < total; i++) latency[i] = WAITING;
  dirty = room((total + 1) * sizeof *dirty);
  run();
  report(start);
}
