// corolab.hpp - x3: a C++20 face of the C runtime.
//
// Header-only. Below it are the layers of milestones 1 to 4, by anybody: it uses their headers alone.
// README.md tells, step by step, how a `co_await` gets down there.
#ifndef COROLAB_HPP
#define COROLAB_HPP

#include "corolab/event_loop.hpp"
#include "corolab/scheduler.hpp"
#include "corolab/task.hpp"

#endif
