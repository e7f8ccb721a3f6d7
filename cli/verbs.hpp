#pragma once

#include "cli/arguments.hpp"

/// One function a verb, one file each; they return exit codes. aggregate, data, list, report, watch and reproduce need
/// no torch: the last has the engine do its cells.
namespace moblo::cli {

int aggregate(const AggregateArguments& arguments);
int data(const DataArguments& arguments);
int list(const ListArguments& arguments);
int report(const ReportArguments& arguments);
int watch(const WatchArguments& arguments);
int reproduce(const ReproduceArguments& arguments);

int run(const RunArguments& arguments);
int clean(const CleanArguments& arguments);
int check_gradients(const CheckArguments& arguments);
/// Of the engine alone: one cell of an experiment, as `reproduce` orders it on standard input.
int cell(const std::string& folder);
int version_verbose();

}  // namespace moblo::cli
