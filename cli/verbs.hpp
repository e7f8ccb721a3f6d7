#pragma once

#include <optional>

#include "cli/arguments.hpp"

/// One function per verb, one file each; they return exit codes. aggregate, completion, data, list, report, watch and
/// review need no torch.
namespace moblo::cli {

int aggregate(const AggregateArguments& arguments);
int completion(const CompletionArguments& arguments);
int data(const DataArguments& arguments);
int list(const ListArguments& arguments);
/// What `list` takes as its first word.
const std::vector<std::string>& names_of_lists();
int report(const ReportArguments& arguments);
int verify(const VerifyArguments& arguments);
int watch(const WatchArguments& arguments);
int review(const ReviewArguments& arguments);

int run(const RunArguments& arguments);
int reproduce(const ReproduceArguments& arguments);
int front(const FrontArguments& arguments);
int arena(const ArenaArguments& arguments);
int refit(const RefitArguments& arguments);
int clean(const CleanArguments& arguments);
int predict(const PredictArguments& arguments);
int check_gradients(const CheckArguments& arguments);
/// Of the engine alone: one cell of an experiment, as `reproduce` orders it on standard input.
int cell(const std::string& folder);
/// Of the engine alone: writes what `list` shows, when the program is built.
int write_catalogue(const std::string& file);
int version_verbose();
/// What no person types: --complete WORD... of a shell, --man-pages FOLDER of the build. Nothing where it is neither.
std::optional<int> answer_shell_or_build(int argc, char** argv);

}  // namespace moblo::cli
