// The stacks of a block's threads, and the switch from one to another.
#pragma once
#include "runtime.h"

extern "C" void emulator_switch(void** save, void** load);

namespace emulator {
void* new_stack(unsigned thread, void (*entry)());  // ready to be switched to; `entry` never returns
}
