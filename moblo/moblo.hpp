#pragma once

/// All that a program with a problem of its own needs.
#include "moblo/gradients/gradient_check.hpp"
#include "moblo/methods/bome.hpp"
#include "moblo/methods/bvfim.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moco.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/training/folder_observer.hpp"
#include "moblo/training/training.hpp"
