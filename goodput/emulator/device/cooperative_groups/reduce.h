// Reductions live in the main header of the CPU model.
#pragma once
#include <cooperative_groups.h>
