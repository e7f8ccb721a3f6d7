#pragma once

#include "cli/arguments.hpp"

/// One function a verb, one file each; they return exit codes. data, list and report need no torch.
namespace moblo::cli {

int data(const DataArguments& arguments);
int list(const ListArguments& arguments);
int report(const ReportArguments& arguments);

int run(const RunArguments& arguments);
int reproduce(const ReproduceArguments& arguments);
int clean(const CleanArguments& arguments);
int check_gradients(const CheckArguments& arguments);
int version_verbose();

}  // namespace moblo::cli
