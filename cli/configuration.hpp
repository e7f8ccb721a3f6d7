#pragma once

#include "cli/arguments.hpp"
#include "lab/experiments/arena_plan.hpp"
#include "lab/experiments/front_plan.hpp"
#include "lab/experiments/plan.hpp"
#include "lab/problems/registry.hpp"

namespace moblo::cli {

/// What the command line asks for, resolved.
lab::experiments::ExperimentPlan planned(const RunArguments& arguments);
lab::experiments::ExperimentPlan planned(const ReproduceArguments& arguments);
lab::experiments::FrontPlan planned(const FrontArguments& arguments);
lab::experiments::ArenaPlan planned(const ArenaArguments& arguments);
/// Options of the problem to check, in double precision.
Json checked_problem_options(const CheckArguments& arguments);

}  // namespace moblo::cli
