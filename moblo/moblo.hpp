#pragma once

/// All that a program with a problem of its own needs.
#include "moblo/gradients/gradient_check.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/training.hpp"
