// A command in user, network and mount namespaces of its own, and the sockets inside by which it is served.
#pragma once
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A file that stands in another's place.
struct td_file_mount {
  const char *source;
  const char *target;
};

struct td_isolated_command {
  // Each ends with NULL.
  char *const *words;
  char *const *environment;
  const struct td_file_mount *mounts;
  size_t mount_count;
  // Where every address but loopback is served if the kernel cannot redirect all ports; at most td_isolated_ports.
  const uint16_t *ports;
  size_t port_count;
  // Ports of its loopback that are served too; at most td_isolated_shares.
  const uint16_t *shares;
  size_t share_count;
};

enum { td_isolated_ports = 64, td_isolated_shares = 32 };
enum { td_isolated_sockets = 2 + td_isolated_ports + 2 * td_isolated_shares };

// What failed on the way into the namespaces.
enum td_isolation_step {
  td_step_process = 1,
  td_step_namespaces,
  td_step_identity,
  td_step_loopback,
  td_step_routes,
  td_step_sockets,
  td_step_files,
  td_step_command,
};

struct td_isolation_failure {
  int32_t step;
  int32_t code;
};

// The sockets of an isolated network: UDP port 53, TCP port 53, and the listeners of all ports, or of some.
struct td_isolated_network {
  int sockets[td_isolated_sockets];
  size_t count;
  int has_all_ports;
};

// Starts a command in namespaces of its own, with the user, the process group, the folder and the standard streams of
// the caller, and no other descriptors. Returns -1 after a failure; then no command runs, and no socket is open.
pid_t td_start_isolated(
    const struct td_isolated_command *command, struct td_isolated_network *network,
    struct td_isolation_failure *failure);

// The address and port that the client of an accepted connection connected to, as IPv6 or as IPv4 mapped into it
// (RFC 4291 §2.5.5.2). Returns 0, or -1 with errno.
int td_destination(int socket, uint8_t address[16], uint16_t *port);

// The inode of the network namespace of a socket; 0 where it is not told, as without rights over that network.
ino_t td_network_namespace(int socket);

// Whom a datagram came from, and which address of ours it was sent to.
struct td_datagram_path {
  struct sockaddr_in peer;
  struct in_addr local;
};

ssize_t td_receive_datagram(int socket, void *bytes, size_t count, struct td_datagram_path *path);
ssize_t td_send_datagram(int socket, const void *bytes, size_t count, const struct td_datagram_path *path);
