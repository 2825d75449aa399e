// Between fork and exec the child of a process with threads may call async-signal-safe functions only: system calls,
// and nothing that allocates or locks.
#define _GNU_SOURCE
#include "isolation.h"

#include "redirection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { loopback_index = 1 };

// MARK: Namespaces

// The maps of a user namespace in which the caller keeps its user and group.
struct identity {
  char user[32];
  char group[32];
};

static int write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = (ssize_t)strlen(text);
  ssize_t written = write(file, text, (size_t)length);
  int code = errno;
  close(file);
  errno = code;
  return written == length ? 0 : -1;
}

// Root needs no user namespace, and keeps all users and groups without one.
static int enter_namespaces(const struct identity *identity) {
  if (geteuid() == 0 && unshare(CLONE_NEWNET | CLONE_NEWNS) == 0) return 0;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) return td_step_namespaces;
  // user_namespaces(7): a group map takes this first.
  if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT) return td_step_identity;
  if (write_file("/proc/self/uid_map", identity->user) != 0) return td_step_identity;
  return write_file("/proc/self/gid_map", identity->group) == 0 ? 0 : td_step_identity;
}

static int mount_files(const struct td_isolated_command *command) {
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  for (size_t i = 0; i < command->mount_count; i++) {
    const struct td_file_mount *file = &command->mounts[i];
    if (mount(file->source, file->target, NULL, MS_BIND, NULL) != 0 && errno != ENOENT) return -1;
  }
  return 0;
}

// MARK: Addresses and routes

static int raise_loopback(void) {
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -1;
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int result = ioctl(control, SIOCSIFFLAGS, &request);
  int code = errno;
  close(control);
  errno = code;
  return result;
}

// A message of rtnetlink(7), with at most one address.
struct route_message {
  struct nlmsghdr header;
  union {
    struct rtmsg route;
    struct ifaddrmsg address;
  } body;
  char attributes[64];
};

static void add_attribute(struct nlmsghdr *header, unsigned short type, const void *value, unsigned short length) {
  struct rtattr *attribute = (struct rtattr *)((char *)header + NLMSG_ALIGN(header->nlmsg_len));
  attribute->rta_type = type;
  attribute->rta_len = (unsigned short)RTA_LENGTH(length);
  memcpy(RTA_DATA(attribute), value, length);
  header->nlmsg_len = NLMSG_ALIGN(header->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

// Sends one request and waits for its acknowledgement.
static int ask_kernel(int netlink, struct nlmsghdr *header) {
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
  if (send(netlink, header, header->nlmsg_len, 0) < 0) return -1;
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[256];
  } acknowledgement;
  ssize_t count = recv(netlink, &acknowledgement, sizeof acknowledgement, 0);
  if (count < (ssize_t)(sizeof acknowledgement.header + sizeof(int)) || acknowledgement.header.nlmsg_type != NLMSG_ERROR) {
    errno = EPROTO;
    return -1;
  }
  errno = -acknowledgement.error.error;
  return acknowledgement.error.error == 0 ? 0 : -1;
}

// Makes every address of a family one of this machine.
static int route_everything(int netlink, unsigned char family) {
  struct route_message message = {.header = {.nlmsg_type = RTM_NEWROUTE}};
  message.header.nlmsg_len = NLMSG_LENGTH(sizeof message.body.route);
  message.body.route = (struct rtmsg){
      .rtm_family = family, .rtm_table = RT_TABLE_LOCAL, .rtm_protocol = RTPROT_STATIC,
      .rtm_scope = RT_SCOPE_HOST, .rtm_type = RTN_LOCAL};
  int device = loopback_index;
  add_attribute(&message.header, RTA_OIF, &device, sizeof device);
  return ask_kernel(netlink, &message.header);
}

// Gives the network an address that is not loopback: programs that see no other ask for no addresses of that family
// (AI_ADDRCONFIG, RFC 3493 §6.1).
static int add_address(int netlink) {
  struct route_message message = {.header = {.nlmsg_type = RTM_NEWADDR}};
  message.header.nlmsg_len = NLMSG_LENGTH(sizeof message.body.address);
  message.body.address = (struct ifaddrmsg){
      .ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_scope = RT_SCOPE_UNIVERSE, .ifa_index = loopback_index};
  uint32_t address = htonl(0xC6120001);  // 198.18.0.1
  add_attribute(&message.header, IFA_LOCAL, &address, sizeof address);
  return ask_kernel(netlink, &message.header);
}

static int make_routes(void) {
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (netlink < 0) return -1;
  int result = add_address(netlink);
  if (result == 0) result = route_everything(netlink, AF_INET);
  int code = errno;
  // A kernel without IPv6 needs no route for it.
  if (result == 0) route_everything(netlink, AF_INET6);
  close(netlink);
  errno = code;
  return result;
}

// MARK: Sockets

// - is_loopback: whether it is bound to loopback alone instead of every address.
static int bound_socket(int family, int type, uint16_t port, int is_loopback) {
  int descriptor = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int on = 1, off = 0, result;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) {
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (is_loopback) address.sin6_addr.s6_addr[15] = 1;
    result = bind(descriptor, (struct sockaddr *)&address, sizeof address);
  } else {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (is_loopback) address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    result = bind(descriptor, (struct sockaddr *)&address, sizeof address);
  }
  if (result == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

static int listening(int descriptor) {
  if (descriptor < 0) return -1;
  // Inherited by connections: bounds the kernel memory that a client can hold by not reading.
  int unsent = 128 * 1024;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  return listen(descriptor, 4096) == 0 ? descriptor : -1;
}

// Accepts IPv6 and IPv4 alike, or IPv4 alone where the kernel has no IPv6.
static int listening_socket(uint16_t port) {
  int descriptor = listening(bound_socket(AF_INET6, SOCK_STREAM, port, 0));
  return descriptor >= 0 ? descriptor : listening(bound_socket(AF_INET, SOCK_STREAM, port, 0));
}

static int datagram_socket(uint16_t port) {
  int descriptor = bound_socket(AF_INET, SOCK_DGRAM, port, 0);
  int on = 1;
  if (descriptor >= 0) setsockopt(descriptor, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  return descriptor;
}

static uint16_t port_of(int descriptor) {
  uint8_t address[16];
  uint16_t port = 0;
  return td_destination(descriptor, address, &port) == 0 ? port : 0;
}

static int add_socket(struct td_isolated_network *network, int descriptor) {
  if (descriptor < 0) return -1;
  network->sockets[network->count++] = descriptor;
  return 0;
}

// A socket on loopback whose connections keep the address that their clients connected to (ip(7), IP_TRANSPARENT).
static int transparent_socket(int family) {
  int descriptor = bound_socket(family, SOCK_STREAM, 0, 1);
  int on = 1;
  int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  int option = family == AF_INET6 ? IPV6_TRANSPARENT : IP_TRANSPARENT;
  if (descriptor >= 0 && setsockopt(descriptor, level, option, &on, sizeof on) == 0) return listening(descriptor);
  if (descriptor >= 0) close(descriptor);
  return -1;
}

// Listens on loopback, where the kernel leads every connection. Returns -1 where it cannot.
static int redirect_ports(struct td_isolated_network *network) {
  int ipv4 = transparent_socket(AF_INET);
  int ipv6 = transparent_socket(AF_INET6);
  if (ipv4 >= 0 && td_redirect_all(port_of(ipv4), ipv6 >= 0 ? port_of(ipv6) : 0) == 0) {
    network->has_all_ports = 1;
    add_socket(network, ipv4);
    add_socket(network, ipv6);
    return 0;
  }
  if (ipv4 >= 0) close(ipv4);
  if (ipv6 >= 0) close(ipv6);
  return -1;
}

static int make_sockets(const struct td_isolated_command *command, struct td_isolated_network *network) {
  *network = (struct td_isolated_network){.count = 0};
  if (add_socket(network, datagram_socket(53)) != 0 || add_socket(network, listening_socket(53)) != 0) return -1;
  if (redirect_ports(network) != 0) {
    for (size_t i = 0; i < command->port_count; i++) {
      if (add_socket(network, listening_socket(command->ports[i])) != 0) return -1;
    }
  }
  for (size_t i = 0; i < command->share_count; i++) {
    int ipv4 = listening(bound_socket(AF_INET, SOCK_STREAM, command->shares[i], 1));
    // A port that is served at every address is served here as well.
    if (add_socket(network, ipv4) != 0 && errno != EADDRINUSE) return -1;
    add_socket(network, listening(bound_socket(AF_INET6, SOCK_STREAM, command->shares[i], 1)));
  }
  return 0;
}

// A message of one byte that carries descriptors. The byte says whether the network has all ports.
struct carrier {
  char byte;
  struct iovec vector;
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(td_isolated_sockets * sizeof(int))];
  struct msghdr message;
};

static struct cmsghdr *prepare(struct carrier *carrier, size_t count) {
  memset(carrier, 0, sizeof *carrier);
  carrier->vector = (struct iovec){.iov_base = &carrier->byte, .iov_len = 1};
  carrier->message = (struct msghdr){
      .msg_iov = &carrier->vector, .msg_iovlen = 1, .msg_control = carrier->control,
      .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  struct cmsghdr *control = CMSG_FIRSTHDR(&carrier->message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(count * sizeof(int));
  return control;
}

static int send_sockets(int channel, const struct td_isolated_network *network) {
  struct carrier carrier;
  memcpy(CMSG_DATA(prepare(&carrier, network->count)), network->sockets, network->count * sizeof(int));
  carrier.byte = (char)network->has_all_ports;
  return sendmsg(channel, &carrier.message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static int receive_sockets(int channel, struct td_isolated_network *network) {
  struct carrier carrier;
  struct cmsghdr *control = prepare(&carrier, td_isolated_sockets);
  control->cmsg_len = 0;
  network->count = 0;
  ssize_t received;
  do received = recvmsg(channel, &carrier.message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  control = received == 1 ? CMSG_FIRSTHDR(&carrier.message) : NULL;
  if (!control || control->cmsg_type != SCM_RIGHTS) return -1;
  network->has_all_ports = carrier.byte;
  network->count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  memcpy(network->sockets, CMSG_DATA(control), network->count * sizeof(int));
  return 0;
}

// MARK: The command

// As posix_spawn does for a command that runs without namespaces.
static void restore_signals(void) {
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void keep_standard_streams(void) {
  if (syscall(SYS_close_range, 3U, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */) == 0) return;
  long last = sysconf(_SC_OPEN_MAX);
  for (int descriptor = 3; descriptor < last; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Returns only if a step fails.
static enum td_isolation_step run_isolated(
    const struct td_isolated_command *command, const struct identity *identity, int channel) {
  struct td_isolated_network network;
  int step = enter_namespaces(identity);
  if (step != 0) return (enum td_isolation_step)step;
  if (raise_loopback() != 0) return td_step_loopback;
  if (make_routes() != 0) return td_step_routes;
  if (make_sockets(command, &network) != 0) return td_step_sockets;
  if (mount_files(command) != 0) return td_step_files;
  if (send_sockets(channel, &network) != 0) return td_step_sockets;
  keep_standard_streams();
  restore_signals();
  execvpe(command->words[0], command->words, command->environment);
  return td_step_command;
}

// Waits until the command runs, or tells why it does not.
static int wait_for_start(
    int channel, int report, struct td_isolated_network *network, struct td_isolation_failure *failure) {
  int has_sockets = receive_sockets(channel, network) == 0;
  ssize_t length;
  do length = read(report, failure, sizeof *failure);
  while (length < 0 && errno == EINTR);
  if (length == 0 && has_sockets) return 0;
  if (length != sizeof *failure) *failure = (struct td_isolation_failure){td_step_process, ECHILD};
  for (size_t i = 0; i < network->count; i++) close(network->sockets[i]);
  return -1;
}

pid_t td_start_isolated(
    const struct td_isolated_command *command, struct td_isolated_network *network,
    struct td_isolation_failure *failure) {
  struct identity identity;
  snprintf(identity.user, sizeof identity.user, "%u %u 1", geteuid(), geteuid());
  snprintf(identity.group, sizeof identity.group, "%u %u 1", getegid(), getegid());
  int channel[2] = {-1, -1}, report[2] = {-1, -1};
  pid_t child = -1;
  *failure = (struct td_isolation_failure){td_step_process, EINVAL};
  if (command->port_count > td_isolated_ports || command->share_count > td_isolated_shares) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0 && pipe2(report, O_CLOEXEC) == 0) {
    child = fork();
  }
  failure->code = errno;
  if (child == 0) {
    struct td_isolation_failure own = {.step = run_isolated(command, &identity, channel[1])};
    own.code = errno;
    ssize_t written = write(report[1], &own, sizeof own);
    _exit(written == sizeof own ? 126 : 125);
  }
  close(channel[1]);
  close(report[1]);
  if (child > 0 && wait_for_start(channel[0], report[0], network, failure) != 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    child = -1;
  }
  close(channel[0]);
  close(report[0]);
  return child;
}
