// Declares what we use of OpenSSL's libssl, and of libcrypto for certificates; decides nothing. Functions of OpenSSL that
// Swift can call have no wrapper.
#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stddef.h>
#include <stdint.h>

/* Swift does not see these macros. */
static const uint64_t td_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t td_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t td_prefer_server_ciphers = SSL_OP_CIPHER_SERVER_PREFERENCE;

static inline int td_min_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version) == 1;
}

static inline int td_max_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version) == 1;
}

static inline int td_groups(SSL_CTX *context, const char *names) {
  return SSL_CTX_set1_groups_list(context, names) == 1;
}

static inline void td_release_buffers(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); }

static inline void td_cache_no_sessions(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline void td_server_name(SSL *ssl, const char *name) { SSL_set_tlsext_host_name(ssl, name); }

static inline void td_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void td_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline long td_memory(BIO *bio, const uint8_t **bytes) { return BIO_get_mem_data(bio, (char **)bytes); }

static inline STACK_OF(X509) *td_chain_new(void) { return sk_X509_new_null(); }

/* Adds a reference of its own. */
static inline int td_chain_add(STACK_OF(X509) *chain, X509 *certificate) {
  return X509_add_cert(chain, certificate, X509_ADD_FLAG_UP_REF);
}

static inline void td_chain_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }

static inline EVP_PKEY *td_p256_key(void) { return EVP_EC_gen("P-256"); }

static inline NAME_CONSTRAINTS *td_name_constraints(X509 *certificate) {
  return (NAME_CONSTRAINTS *)X509_get_ext_d2i(certificate, NID_name_constraints, NULL, NULL);
}

static inline int td_permitted_count(const NAME_CONSTRAINTS *constraints) {
  return sk_GENERAL_SUBTREE_num(constraints->permittedSubtrees);
}

/* The kind of a permitted subtree, and its bytes: a name, or an address and its mask. */
static inline int td_permitted(
    const NAME_CONSTRAINTS *constraints, int index, const uint8_t **bytes, int *count) {
  int kind;
  const ASN1_STRING *text = (const ASN1_STRING *)GENERAL_NAME_get0_value(
      sk_GENERAL_SUBTREE_value(constraints->permittedSubtrees, index)->base, &kind);
  *bytes = kind == GEN_DNS || kind == GEN_IPADD ? ASN1_STRING_get0_data(text) : NULL;
  *count = *bytes ? ASN1_STRING_length(text) : 0;
  return kind;
}

static inline int td_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
