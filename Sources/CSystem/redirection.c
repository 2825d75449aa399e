// Rules of nf_tables that lead every TCP connection of a network to one port of its loopback, made by netlink because
// nft(8) is a program of root's. A transparent proxy instead of address translation (nft(8), TPROXY STATEMENT): only the
// first packet of a connection is touched, and no connection is tracked.
#define _GNU_SOURCE
#include "redirection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char table_name[] = "tapedeck", chain_name[] = "arriving";

enum { tcp_port_offset = 2, tcp_flags_offset = 13, ipv4_destination_offset = 16, ipv6_destination_offset = 24 };

// Several messages one after another (nfnetlink: all of them take effect or none).
struct batch {
  _Alignas(struct nlmsghdr) char bytes[4096];
  size_t length;
};

static struct nlmsghdr *begin_message(struct batch *batch, uint16_t type, uint16_t flags, uint8_t family, uint16_t subsystem) {
  struct nlmsghdr *header = (struct nlmsghdr *)(batch->bytes + batch->length);
  header->nlmsg_type = type;
  header->nlmsg_flags = NLM_F_REQUEST | flags;
  struct nfgenmsg *general = NLMSG_DATA(header);
  *general = (struct nfgenmsg){.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(subsystem)};
  batch->length += NLMSG_SPACE(sizeof *general);
  return header;
}

static void end_message(struct batch *batch, struct nlmsghdr *header) {
  header->nlmsg_len = (uint32_t)(batch->bytes + batch->length - (char *)header);
}

static struct nlmsghdr *begin_change(struct batch *batch, uint16_t change, uint16_t flags) {
  return begin_message(
      batch, NFNL_SUBSYS_NFTABLES << 8 | change, (uint16_t)(NLM_F_CREATE | flags), NFPROTO_INET, 0);
}

static void add(struct batch *batch, uint16_t type, const void *value, size_t length) {
  struct nlattr *attribute = (struct nlattr *)(batch->bytes + batch->length);
  attribute->nla_type = type;
  attribute->nla_len = (uint16_t)(NLA_HDRLEN + length);
  memcpy((char *)attribute + NLA_HDRLEN, value, length);
  batch->length += NLA_ALIGN(attribute->nla_len);
}

static void add_text(struct batch *batch, uint16_t type, const char *text) { add(batch, type, text, strlen(text) + 1); }

static void add_number(struct batch *batch, uint16_t type, uint32_t number) {
  uint32_t ordered = htonl(number);
  add(batch, type, &ordered, sizeof ordered);
}

static struct nlattr *begin_nested(struct batch *batch, uint16_t type) {
  struct nlattr *attribute = (struct nlattr *)(batch->bytes + batch->length);
  attribute->nla_type = type | NLA_F_NESTED;
  batch->length += NLA_HDRLEN;
  return attribute;
}

static void end_nested(struct batch *batch, struct nlattr *attribute) {
  attribute->nla_len = (uint16_t)(batch->bytes + batch->length - (char *)attribute);
}

// MARK: Expressions

struct expression {
  struct nlattr *element;
  struct nlattr *data;
};

static struct expression begin_expression(struct batch *batch, const char *name) {
  struct expression expression = {.element = begin_nested(batch, NFTA_LIST_ELEM)};
  add_text(batch, NFTA_EXPR_NAME, name);
  expression.data = begin_nested(batch, NFTA_EXPR_DATA);
  return expression;
}

static void end_expression(struct batch *batch, struct expression expression) {
  end_nested(batch, expression.data);
  end_nested(batch, expression.element);
}

static void load_meta(struct batch *batch, uint32_t key) {
  struct expression meta = begin_expression(batch, "meta");
  add_number(batch, NFTA_META_DREG, NFT_REG_1);
  add_number(batch, NFTA_META_KEY, key);
  end_expression(batch, meta);
}

static void load_payload(struct batch *batch, uint32_t base, uint32_t offset, uint32_t length) {
  struct expression payload = begin_expression(batch, "payload");
  add_number(batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
  add_number(batch, NFTA_PAYLOAD_BASE, base);
  add_number(batch, NFTA_PAYLOAD_OFFSET, offset);
  add_number(batch, NFTA_PAYLOAD_LEN, length);
  end_expression(batch, payload);
}

static void add_data(struct batch *batch, uint16_t type, const void *value, size_t length) {
  struct nlattr *data = begin_nested(batch, type);
  add(batch, NFTA_DATA_VALUE, value, length);
  end_nested(batch, data);
}

// Ends the rule for a packet whose loaded value does not compare so.
static void compare(struct batch *batch, uint32_t operation, const void *value, size_t length) {
  struct expression comparison = begin_expression(batch, "cmp");
  add_number(batch, NFTA_CMP_SREG, NFT_REG_1);
  add_number(batch, NFTA_CMP_OP, operation);
  add_data(batch, NFTA_CMP_DATA, value, length);
  end_expression(batch, comparison);
}

// Keeps of the loaded byte what the mask has.
static void mask_byte(struct batch *batch, uint8_t mask) {
  static const uint8_t nothing = 0;
  struct expression bitwise = begin_expression(batch, "bitwise");
  add_number(batch, NFTA_BITWISE_SREG, NFT_REG_1);
  add_number(batch, NFTA_BITWISE_DREG, NFT_REG_1);
  add_number(batch, NFTA_BITWISE_LEN, sizeof mask);
  add_data(batch, NFTA_BITWISE_MASK, &mask, sizeof mask);
  add_data(batch, NFTA_BITWISE_XOR, &nothing, sizeof nothing);
  end_expression(batch, bitwise);
}

static void load(struct batch *batch, uint32_t into, const void *value, size_t length) {
  struct expression immediate = begin_expression(batch, "immediate");
  add_number(batch, NFTA_IMMEDIATE_DREG, into);
  add_data(batch, NFTA_IMMEDIATE_DATA, value, length);
  end_expression(batch, immediate);
}

// Gives the packet to the socket that listens at this address.
static void redirect(struct batch *batch, uint8_t family, const void *address, size_t length, uint16_t port) {
  uint16_t ordered = htons(port);
  load(batch, NFT_REG_1, address, length);
  load(batch, NFT_REG_2, &ordered, sizeof ordered);
  struct expression proxy = begin_expression(batch, "tproxy");
  add_number(batch, NFTA_TPROXY_FAMILY, family);
  add_number(batch, NFTA_TPROXY_REG_ADDR, NFT_REG_1);
  add_number(batch, NFTA_TPROXY_REG_PORT, NFT_REG_2);
  end_expression(batch, proxy);
}

// MARK: Rules

static void add_table_and_chain(struct batch *batch) {
  struct nlmsghdr *table = begin_change(batch, NFT_MSG_NEWTABLE, 0);
  add_text(batch, NFTA_TABLE_NAME, table_name);
  end_message(batch, table);
  struct nlmsghdr *chain = begin_change(batch, NFT_MSG_NEWCHAIN, 0);
  add_text(batch, NFTA_CHAIN_TABLE, table_name);
  add_text(batch, NFTA_CHAIN_NAME, chain_name);
  struct nlattr *hook = begin_nested(batch, NFTA_CHAIN_HOOK);
  add_number(batch, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
  add_number(batch, NFTA_HOOK_PRIORITY, (uint32_t)-150);  // nft(8): mangle
  end_nested(batch, hook);
  add_text(batch, NFTA_CHAIN_TYPE, "filter");
  end_message(batch, chain);
}

// Connections by TCP of a family, but for loopback and names.
static void add_rule(struct batch *batch, uint8_t family, uint16_t port, uint16_t flags) {
  static const uint8_t tcp = IPPROTO_TCP, syn = 0x02, syn_or_ack = 0x12;
  static const uint8_t loopback[4] = {127, 0, 0, 1}, loopback6[16] = {[15] = 1};
  uint16_t names = htons(53);
  struct nlmsghdr *rule = begin_change(batch, NFT_MSG_NEWRULE, NLM_F_APPEND | flags);
  add_text(batch, NFTA_RULE_TABLE, table_name);
  add_text(batch, NFTA_RULE_CHAIN, chain_name);
  struct nlattr *expressions = begin_nested(batch, NFTA_RULE_EXPRESSIONS);
  load_meta(batch, NFT_META_NFPROTO);
  compare(batch, NFT_CMP_EQ, &family, sizeof family);
  load_meta(batch, NFT_META_L4PROTO);
  compare(batch, NFT_CMP_EQ, &tcp, sizeof tcp);
  load_payload(batch, NFT_PAYLOAD_TRANSPORT_HEADER, tcp_flags_offset, sizeof syn);
  mask_byte(batch, syn_or_ack);
  compare(batch, NFT_CMP_EQ, &syn, sizeof syn);
  load_payload(batch, NFT_PAYLOAD_TRANSPORT_HEADER, tcp_port_offset, sizeof names);
  compare(batch, NFT_CMP_NEQ, &names, sizeof names);
  if (family == NFPROTO_IPV4) {
    // All of 127.0.0.0/8.
    load_payload(batch, NFT_PAYLOAD_NETWORK_HEADER, ipv4_destination_offset, 1);
    compare(batch, NFT_CMP_NEQ, loopback, 1);
    redirect(batch, family, loopback, sizeof loopback, port);
  } else {
    load_payload(batch, NFT_PAYLOAD_NETWORK_HEADER, ipv6_destination_offset, sizeof loopback6);
    compare(batch, NFT_CMP_NEQ, loopback6, sizeof loopback6);
    redirect(batch, family, loopback6, sizeof loopback6, port);
  }
  end_nested(batch, expressions);
  end_message(batch, rule);
}

// Returns the outcome of the only message that is acknowledged, or that of one that failed.
static int send_batch(const struct batch *batch) {
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
  if (netlink < 0) return -1;
  struct {
    struct nlmsghdr header;
    struct nlmsgerr error;
    char rest[512];
  } acknowledgement = {.error.error = -EPROTO};
  int code = EPROTO;
  if (send(netlink, batch->bytes, batch->length, 0) < 0 || recv(netlink, &acknowledgement, sizeof acknowledgement, 0) < 0) {
    code = errno;
  } else if (acknowledgement.header.nlmsg_type == NLMSG_ERROR) {
    code = -acknowledgement.error.error;
  }
  close(netlink);
  errno = code;
  return code == 0 ? 0 : -1;
}

int td_redirect_all(uint16_t port, uint16_t port6) {
  struct batch batch = {.length = 0};
  end_message(&batch, begin_message(&batch, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
  add_table_and_chain(&batch);
  if (port6 != 0) add_rule(&batch, NFPROTO_IPV6, port6, 0);
  add_rule(&batch, NFPROTO_IPV4, port, NLM_F_ACK);
  end_message(&batch, begin_message(&batch, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
  return send_batch(&batch);
}
