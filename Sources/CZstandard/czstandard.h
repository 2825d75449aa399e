// Declares what we use of Zstandard; decides nothing.
#pragma once
#include <zstd.h>
