// Declares what we use of libyaml; decides nothing.
#pragma once
#include <yaml.h>
