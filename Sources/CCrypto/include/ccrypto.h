// Declares what we use of OpenSSL's libcrypto; decides nothing.
//
// libcrypto is loaded when it is first asked for, not when the program starts: it takes 3 MB of memory, and a replay
// seldom asks for it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Loads libcrypto, once. NULL when it is there; else why it is not. Nothing below may be called before. */
const char *td_crypto_load(void);

/* Each tells whether it was done; a digest has 32 bytes. */
int td_sha256(const void *bytes, size_t count, uint8_t *digest);
int td_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *digest);

/* A digest of bytes that come in pieces; NULL when there is none. */
void *td_sha256_begin(void);
int td_sha256_add(void *stream, const void *bytes, size_t count);
int td_sha256_end(void *stream, uint8_t *digest);
void td_sha256_free(void *stream);
