#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/data/noisy_source.hpp"

namespace CLI {
class App;
}

namespace moblo::cli {

struct RunArguments {
  std::string file;
  std::vector<std::string> sets;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> seeds;
  std::string out, resume;
  bool dry_run = false, accept_damage = false, quiet = false, json = false;
};

struct ReproduceArguments {
  std::string name, out, protocol;
  std::vector<std::string> sets;
  std::optional<std::string> seeds;
  std::optional<std::int64_t> jobs;
  bool quick = false, fresh = false, quiet = false, json = false;
};

struct FrontArguments {
  std::string file, out, resume;
  std::vector<std::string> sets;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> points, jobs;
  bool refine = false, quiet = false, json = false;
};

struct ArenaArguments {
  std::string file, out, resume;
  std::vector<std::string> sets;
  std::optional<std::int64_t> jobs;
  bool quick = false, quiet = false, json = false;
};

struct RefitArguments {
  std::string run, from = "fresh";
  std::int64_t steps = 0;
  bool json = false;
};

struct CheckArguments {
  std::string problem;
  std::vector<std::string> sets;
  std::uint64_t seed = 0;
  double tolerance = 1e-6;
};

struct CleanArguments {
  lab::data::NoisyArguments sources;
  bool paper = false;
  std::string data, out, resume;
  std::uint64_t seed = 0;
  int threads = 0;  ///< 0 = all cores
  double precision = 0.9;
  std::optional<double> precision_bound, inject;
  std::vector<std::string> judges;
  std::int64_t review = 0;
  bool quick = false, quiet = false, json = false;
};

struct PredictArguments {
  std::string model, file, out, dataset, id_column, format = "auto";
  bool quiet = false;
};

struct AggregateArguments {
  std::string method;
  std::vector<std::string> matrices, gramians;  ///< one or the other, a step each
  std::vector<std::string> sets, losses, losses_after;
  bool list = false, json = false;
};

struct DataArguments {
  std::string action, name, data, from;
};

struct ListArguments {
  std::string what, name;
};

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out;
  bool html = false, markdown = false, latex = false, csv = false;
};

struct VerifyArguments {
  std::vector<std::string> folders;
  bool json = false;
};

struct WatchArguments {
  std::string folder, host = "127.0.0.1", token;  ///< token: empty for none, "auto" for one by chance
  int port = 8420;
};

struct ReviewArguments {
  std::string folder;
  int port = 0;
};

struct CompletionArguments {
  std::string shell;
};

struct Arguments {
  std::string verb;  ///< empty for --version and the bare program
  bool version = false, verbose = false;
  RunArguments run;
  ReproduceArguments reproduce;
  FrontArguments front;
  ArenaArguments arena;
  RefitArguments refit;
  CheckArguments check;
  CleanArguments clean;
  PredictArguments predict;
  AggregateArguments aggregate;
  DataArguments data;
  ListArguments list;
  ReportArguments report;
  VerifyArguments verify;
  WatchArguments watch;
  ReviewArguments review;
  CompletionArguments completion;
};

/// All commands and options; what is parsed goes into `to`.
void describe_command_line(CLI::App& app, Arguments& to);

/// Nothing where help was printed; throws Error(usage).
std::optional<Arguments> parse_arguments(int argc, char** argv);

}  // namespace moblo::cli
