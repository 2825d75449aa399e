#include "ccrypto.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <tdlibrary.h>

#define EACH_FUNCTION(DO)                                                                                            \
  DO(EVP_sha256)                                                                                                     \
  DO(EVP_Digest)                                                                                                     \
  DO(EVP_MD_CTX_new)                                                                                                 \
  DO(EVP_MD_CTX_free)                                                                                                \
  DO(EVP_DigestInit_ex)                                                                                              \
  DO(EVP_DigestUpdate)                                                                                               \
  DO(EVP_DigestFinal_ex)                                                                                             \
  DO(HMAC)

TD_LIBRARY(td_crypto_load, "libcrypto.so.3", EACH_FUNCTION)

int td_sha256(const void *bytes, size_t count, uint8_t *digest) {
  return lib.EVP_Digest(bytes, count, digest, NULL, lib.EVP_sha256(), NULL) == 1;
}

int td_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *digest) {
  return lib.HMAC(lib.EVP_sha256(), key, (int)key_count, bytes, count, digest, NULL) != NULL;
}

void *td_sha256_begin(void) {
  EVP_MD_CTX *stream = lib.EVP_MD_CTX_new();
  if (stream && lib.EVP_DigestInit_ex(stream, lib.EVP_sha256(), NULL) == 1) return stream;
  lib.EVP_MD_CTX_free(stream);
  return NULL;
}

int td_sha256_add(void *stream, const void *bytes, size_t count) {
  return lib.EVP_DigestUpdate(stream, bytes, count) == 1;
}

int td_sha256_end(void *stream, uint8_t *digest) { return lib.EVP_DigestFinal_ex(stream, digest, NULL) == 1; }
void td_sha256_free(void *stream) { lib.EVP_MD_CTX_free(stream); }
