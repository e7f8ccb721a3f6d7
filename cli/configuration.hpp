#pragma once

#include "cli/arguments.hpp"
#include "moblo/applications/catalogue.hpp"
#include "moblo/experiment/plan.hpp"

namespace moblo::cli {

/// What the command line asks for, resolved; the same in the launcher, which checks it, and the engine, which does it.
ExperimentPlan planned(const RunArguments& arguments);
ExperimentPlan planned(const ReproduceArguments& arguments);
/// Options of the problem to check, in double precision.
Json checked_problem_options(const CheckArguments& arguments);

/// Throws what the engine would throw for the same arguments, half a second earlier.
void refuse_bad_configuration(const Arguments& arguments);

}  // namespace moblo::cli
