// Declares what we use of OpenSSL's libcrypto; decides nothing.
#pragma once
#include <openssl/evp.h>
#include <openssl/hmac.h>
