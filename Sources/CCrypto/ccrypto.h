// Declares what we use of OpenSSL's libcrypto; decides nothing.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stddef.h>
#include <stdint.h>

/* Each tells whether it was done; a digest has 32 bytes. */
static inline int td_sha256(const void *bytes, size_t count, uint8_t *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1;
}

static inline int td_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *digest) {
  return HMAC(EVP_sha256(), key, (int)key_count, (const unsigned char *)bytes, count, digest, NULL) != NULL;
}

/* A digest of bytes that come in pieces; NULL when there is none. */
static inline void *td_sha256_begin(void) {
  EVP_MD_CTX *stream = EVP_MD_CTX_new();
  if (stream && EVP_DigestInit_ex(stream, EVP_sha256(), NULL) == 1) return stream;
  EVP_MD_CTX_free(stream);
  return NULL;
}

static inline int td_sha256_add(void *stream, const void *bytes, size_t count) {
  return EVP_DigestUpdate((EVP_MD_CTX *)stream, bytes, count) == 1;
}

static inline int td_sha256_end(void *stream, uint8_t *digest) {
  return EVP_DigestFinal_ex((EVP_MD_CTX *)stream, digest, NULL) == 1;
}

static inline void td_sha256_free(void *stream) { EVP_MD_CTX_free((EVP_MD_CTX *)stream); }
