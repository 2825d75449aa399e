// Asks at a fixed rate, whatever comes back (open loop), and measures each answer from the moment its request was
// meant to leave: a server that stalls cannot hide it by slowing its clients down.
//
//   probe PORT PATH CONNECTIONS DEPTH FRESH SHED RATE:SECONDS[,RATE:SECONDS ...] [PATIENCE_MS [BODY_FILE]]
//
// CONNECTIONS are kept, with up to DEPTH requests under way on each; every FRESH-th request opens one of its own
// (0: none), of which there are 10,000 at most. With a FRESH of 1 none is kept, and there are CONNECTIONS at most. With SHED a request that finds no room is dropped, else it waits and
// its waiting counts. A request without an answer after PATIENCE_MS (0: for ever) is given up, and its connection
// reset with whatever else is under way on it. With BODY_FILE each is a POST of that JSON.
// Prints one JSON object; times in microseconds, "slices" of 100 ms: [begin ms, answers, p50, p99, max, not answered];
// "left" counts requests that went on their way before the last was due (with their last byte, or with the attempt at a
// connection of their own, which the other side may keep waiting), "during" the answers that came by then.
#include "net.h"

#define GRACE_NS 5000000000LL
#define SLICE_NS 100000000LL
#define MAX_DEPTH 64
#define MAX_FRESH 10000
enum { WAITING = -1, DROPPED = -2, FAILED = -3, GIVEN_UP = -4 };

typedef struct {
  int fd, is_fresh, is_open;
  int first, under_way; // ring of request numbers
  int asked[MAX_DEPTH];
  size_t have, skip, unsent;
  char in[16384];
} Line;

// A request as it goes out, MAX_DEPTH times over, so that all a line has to send is one piece of memory.
typedef struct {
  char *bytes;
  size_t length;
} Request;

static int epoll, port, depth, fresh_every, max_fresh = MAX_FRESH, sheds;
static Request keep_request, fresh_request;
static int64_t *due, *latency, patience_ns;
static Line **line_of;
static long left;
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

static void close_line(Line *line, int64_t result) {
  for (; line->under_way; line->under_way--, line->first = (line->first + 1) % depth)
    settle(line->asked[line->first], result);
  reset(line->fd);
  line->is_open = 0;
  if (!line->is_fresh) return;
  spare[spare_count++] = line;
  fresh_open--;
}

static void leaves(long count) {
  if (now_ns() <= due[total - 1]) left += count;
}

static void flush(Line *line) {
  const Request *request = line->is_fresh ? &fresh_request : &keep_request;
  while (line->unsent) {
    size_t begun = (request->length - line->unsent % request->length) % request->length;
    ssize_t count = send(line->fd, request->bytes + begun, line->unsent, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != ENOTCONN) close_line(line, FAILED);
      return;
    }
    if (!line->is_fresh) leaves((begun + count) / request->length);
    line->unsent -= count;
  }
}

static Line *line_with_room(int number) {
  static int next = 0;
  if (fresh_every && number % fresh_every == 0) {
    if (fresh_open == max_fresh) return NULL;
    fresh_open++;
    Line *line = spare_count ? spare[--spare_count] : room(sizeof(Line));
    line->is_fresh = 1;
    open_line(line, number);
    leaves(1);
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
  line->asked[(line->first + line->under_way++) % depth] = number;
  line_of[number] = line;
  if (!line->unsent) dirty[dirty_count++] = line;
  line->unsent += line->is_fresh ? fresh_request.length : keep_request.length;
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
    if (count <= 0) return close_line(line, FAILED);
    line->have += count;
    size_t taken = line->skip < line->have ? line->skip : line->have;
    line->skip -= taken;
    if (taken) memmove(line->in, line->in + taken, line->have -= taken);
    int64_t now = now_ns();
    int more;
    while ((more = take_answer(line, now)) > 0) {}
    if (more < 0) close_line(line, FAILED);
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
  int dropped = 0, failed = 0, silent = 0, given_up = 0, during = 0;
  for (int i = 0; i < total; i++) {
    dropped += latency[i] == DROPPED;
    failed += latency[i] == FAILED;
    silent += latency[i] == WAITING;
    given_up += latency[i] == GIVEN_UP;
    during += latency[i] >= 0 && due[i] + latency[i] <= due[total - 1];
  }
  printf("{\"start\":%lld,\"end\":%lld,\"asked\":%d,\"left\":%ld,\"during\":%d,", (long long)start,
    (long long)due[total - 1], total, left, during);
  printf("\"dropped\":%d,\"failed\":%d,\"silent\":%d,\"given_up\":%d,", dropped, failed, silent, given_up);
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

// Gives up what has waited too long; the number of the first request that has not.
static int give_up(int oldest, int sent, int64_t now) {
  for (; oldest < sent && (latency[oldest] != WAITING || due[oldest] + patience_ns <= now); oldest++)
    if (latency[oldest] == WAITING) close_line(line_of[oldest], GIVEN_UP);
  return oldest;
}

static void run(void) {
  struct epoll_event events[512];
  int64_t end = due[total - 1] + GRACE_NS;
  for (int sent = 0, ready = 0, oldest = 0; settled < total && now_ns() < end;) {
    int64_t now = now_ns();
    if (patience_ns) oldest = give_up(oldest, sent, now);
    while (ready < total && due[ready] <= now) ready++;
    while (sent < ready && ask(sent)) sent++;
    for (; sheds && sent < ready; sent++) settle(sent, DROPPED);
    for (int i = 0; i < dirty_count; i++)
      if (dirty[i]->is_open) flush(dirty[i]);
    dirty_count = 0;
    int64_t next = ready < total ? due[ready] : patience_ns && oldest < total ? due[oldest] + patience_ns : end;
    int64_t pause = next - now_ns();
    int count = wait_for(epoll, events, 512, pause);
    for (int i = 0; i < count; i++) {
      Line *line = events[i].data.ptr;
      if (line->is_open && events[i].events & EPOLLOUT) flush(line);
      if (line->is_open) hear(line);
    }
  }
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t size = 0;
  if (!file || getdelim(&text, &size, 0, file) < 0) fail(path);
  fclose(file);
  return text;
}

static Request repeated(const char *path, const char *field, const char *body) {
  char *one = NULL;
  int length = body
    ? asprintf(&one, "POST %s HTTP/1.1\r\nHost: load\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        path, field, strlen(body), body)
    : asprintf(&one, "GET %s HTTP/1.1\r\nHost: load\r\n%s\r\n", path, field);
  if (length < 0) fail("asprintf");
  Request request = {room((size_t)length * MAX_DEPTH), length};
  for (int i = 0; i < MAX_DEPTH; i++) memcpy(request.bytes + (size_t)i * length, one, length);
  free(one);
  return request;
}

int main(int argc, char **argv) {
  if (argc < 8 || argc > 10) return 2;
  port = atoi(argv[1]);
  line_count = atoi(argv[3]);
  depth = atoi(argv[4]);
  fresh_every = atoi(argv[5]);
  sheds = atoi(argv[6]);
  if (fresh_every == 1 && line_count < MAX_FRESH) max_fresh = line_count;
  patience_ns = argc > 8 ? atoll(argv[8]) * 1000000 : 0;
  char *body = argc > 9 ? contents(argv[9]) : NULL;
  keep_request = repeated(argv[2], "", body);
  fresh_request = repeated(argv[2], "Connection: close\r\n", body);
  epoll = epoll_create1(0);
  lines = room(line_count * sizeof(Line));
  int64_t start = now_ns() + 20000000;
  plan(argv[7], start);
  latency = room(total * sizeof *latency);
  line_of = room(total * sizeof *line_of);
  for (int i = 0; i < total; i++) latency[i] = WAITING;
  dirty = room((total + 1) * sizeof *dirty);
  run();
  report(start);
}
