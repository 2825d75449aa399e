#pragma once
#include <stdint.h>

// Leads every TCP connection of this network, but those to loopback and to port 53, to a port of 127.0.0.1, or with IPv6
// of ::1. Async-signal-safe. Returns 0, or -1 with errno where the kernel cannot.
// - port6: 0 for none.
int td_redirect_all(uint16_t port, uint16_t port6);
