// Declares what we use of zlib; decides nothing.
#pragma once
#include <zlib.h>
