// The floor of the benchmarks: a bare epoll loop on one core that finds the blank line of each request, skips the body
// that Content-Length announces, and sends prepared bytes. It checks nothing, so it is no server: it is what the kernel
// asks for one recv and one send.
//
//     floor PORT FILE      serves FILE for every request

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { maximum_connections = 65536, buffer_bytes = 256 * 1024 };

static char response[1 << 20];
static size_t response_bytes;
static char buffer[buffer_bytes];
// Of each connection: bytes of a body that are still to come, and the part of a head that came without its end.
static size_t body_left[maximum_connections];
static char *partial[maximum_connections];
static size_t partial_bytes[maximum_connections];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void read_response(const char *path) {
    static char body[sizeof response - 256];
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    size_t count = fread(body, 1, sizeof body, file);
    fclose(file);
    response_bytes = (size_t)snprintf(
        response, sizeof response,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", count);
    memcpy(response + response_bytes, body, count);
    response_bytes += count;
}

static size_t content_length(const char *head, size_t count) {
    const char *field = memmem(head, count, "Content-Length: ", 16);
    return field ? strtoul(field + 16, NULL, 10) : 0;
}

static void drop(int connection) {
    free(partial[connection]);
    partial[connection] = NULL;
    partial_bytes[connection] = body_left[connection] = 0;
    close(connection);
}

static void keep_partial(int connection, const char *start, size_t count) {
    char *kept = count ? malloc(count) : NULL;
    if (count) memcpy(kept, start, count);
    free(partial[connection]);
    partial[connection] = kept;
    partial_bytes[connection] = count;
}

static void serve(int connection) {
    size_t before = partial_bytes[connection];
    if (before) memcpy(buffer, partial[connection], before);
    ssize_t received = recv(connection, buffer + before, sizeof buffer - before, 0);
    if (received <= 0) return drop(connection);
    char *next = buffer, *end = buffer + before + received;
    while (next < end) {
        if (body_left[connection]) {
            size_t taken = body_left[connection] < (size_t)(end - next) ? body_left[connection] : (size_t)(end - next);
            body_left[connection] -= taken;
            next += taken;
            if (body_left[connection]) break;
        } else {
            char *blank = memmem(next, (size_t)(end - next), "\r\n\r\n", 4);
            if (!blank) break;
            body_left[connection] = content_length(next, (size_t)(blank - next));
            next = blank + 4;
            if (body_left[connection]) continue;
        }
        if (send(connection, response, response_bytes, MSG_NOSIGNAL) != (ssize_t)response_bytes) return drop(connection);
    }
    if (next < end || before) keep_partial(connection, next, (size_t)(end - next));
    if (partial_bytes[connection] == sizeof buffer) drop(connection);
}

int main(int count, char **words) {
    if (count != 3) return fputs("usage: floor PORT FILE\n", stderr), 2;
    read_response(words[2]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(atoi(words[1]))};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) fail("listen");
    int loop = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
    if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event)) fail("epoll");
    for (;;) {
        int ready = epoll_wait(loop, events, 512, -1);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd != listener) {
                serve(events[index].data.fd);
                continue;
            }
            for (;;) {
                int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (connection < 0) break;
                if (connection >= maximum_connections) {
                    close(connection);
                    continue;
                }
                setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                // Level triggered: what one recv leaves is reported again.
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = connection};
                if (epoll_ctl(loop, EPOLL_CTL_ADD, connection, &event)) drop(connection);
            }
        }
    }
}
