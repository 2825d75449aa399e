// The addresses of connections and datagrams that were sent to anyone and came to us.
#define _GNU_SOURCE
#include "isolation.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void map_address(const struct in_addr *from, uint8_t address[16]) {
  memset(address, 0, 10);
  memset(address + 10, 0xFF, 2);
  memcpy(address + 12, from, 4);
}

int td_destination(int socket, uint8_t address[16], uint16_t *port) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  if (getsockname(socket, (struct sockaddr *)&storage, &length) != 0) return -1;
  if (storage.ss_family == AF_INET6) {
    struct sockaddr_in6 *local = (struct sockaddr_in6 *)&storage;
    memcpy(address, &local->sin6_addr, 16);
    *port = ntohs(local->sin6_port);
  } else {
    struct sockaddr_in *local = (struct sockaddr_in *)&storage;
    map_address(&local->sin_addr, address);
    *port = ntohs(local->sin_port);
  }
  return 0;
}

ino_t td_network_namespace(int socket) {
  int namespace = ioctl(socket, SIOCGSKNS);
  if (namespace < 0) return 0;
  struct stat status;
  int result = fstat(namespace, &status);
  close(namespace);
  return result == 0 ? status.st_ino : 0;
}

// A control message with the local address of a datagram (ip(7), IP_PKTINFO).
struct packet_control {
  _Alignas(struct cmsghdr) char bytes[CMSG_SPACE(sizeof(struct in_pktinfo))];
};

ssize_t td_receive_datagram(int socket, void *bytes, size_t count, struct td_datagram_path *path) {
  struct packet_control control;
  struct iovec vector = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {
      .msg_name = &path->peer, .msg_namelen = sizeof path->peer, .msg_iov = &vector, .msg_iovlen = 1,
      .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received = recvmsg(socket, &message, 0);
  if (received < 0) return received;
  path->local.s_addr = INADDR_ANY;
  for (struct cmsghdr *one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != IPPROTO_IP || one->cmsg_type != IP_PKTINFO) continue;
    struct in_pktinfo information;
    memcpy(&information, CMSG_DATA(one), sizeof information);
    path->local = information.ipi_addr;
  }
  return received;
}

ssize_t td_send_datagram(int socket, const void *bytes, size_t count, const struct td_datagram_path *path) {
  struct packet_control control = {{0}};
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  struct sockaddr_in peer = path->peer;
  struct msghdr message = {
      .msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &vector, .msg_iovlen = 1,
      .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *one = CMSG_FIRSTHDR(&message);
  one->cmsg_level = IPPROTO_IP;
  one->cmsg_type = IP_PKTINFO;
  one->cmsg_len = CMSG_LEN(sizeof(struct in_pktinfo));
  struct in_pktinfo information = {.ipi_spec_dst = path->local};
  memcpy(CMSG_DATA(one), &information, sizeof information);
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}
