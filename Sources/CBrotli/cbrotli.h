// Declares what we use of Brotli; decides nothing.
#pragma once
#include <brotli/decode.h>
#include <brotli/encode.h>
