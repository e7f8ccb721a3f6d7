#include "moblo/aggregation/aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "lab/config/config.hpp"
#include "lab/data/matrix.hpp"
#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/error.hpp"

namespace moblo::cli {
namespace {

constexpr Eigen::Index entries_shown = 12;

Eigen::VectorXd parse_losses(const std::string& text) {
  std::vector<double> losses;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double loss = 0;
    const auto [stop, problem] = std::from_chars(at, end, loss);
    if (problem != std::errc() || !std::isfinite(loss) || (stop != end && *stop != ',')) {
      throw Error(ErrorKind::usage, fmt::format("--losses {}", text), "is no list of finite numbers",
                  "Write for example --losses 0.3,1.2");
    }
    losses.push_back(loss);
    if (stop == end) break;
    at = stop + 1;
  }
  return Eigen::Map<const Eigen::VectorXd>(losses.data(), static_cast<Eigen::Index>(losses.size()));
}

Eigen::Index tasks_of(const WeightingInfo& info, const TaskGradients& rows, int samples, const std::string& file) {
  if (rows.rows() % samples == 0) return rows.rows() / samples;
  throw Error(ErrorKind::data, fmt::format("{}: {} rows", file, rows.rows()),
              fmt::format("{} takes {} batches a step, one below the other", info.name, samples),
              fmt::format("Give {} rows a task", samples));
}

Eigen::VectorXd losses_of(const AggregateArguments& arguments, const WeightingNeeds& needs, Eigen::Index tasks) {
  if (!arguments.losses) {
    if (!needs.losses) return Eigen::VectorXd::Ones(tasks);
    throw Error(ErrorKind::usage, fmt::format("--method {} without --losses", arguments.method),
                "weighs by the losses of the tasks", fmt::format("Give {} of them: --losses L1,L2,..", tasks));
  }
  Eigen::VectorXd losses = parse_losses(*arguments.losses);
  if (losses.size() == tasks) return losses;
  throw Error(ErrorKind::usage, fmt::format("--losses {}", *arguments.losses),
              fmt::format("{} losses for {} tasks", losses.size(), tasks), "Give one loss a task");
}

void print_text(const WeightingInfo& info, const TaskGradients& rows, const Aggregate& out) {
  fmt::print("{} of {} gradients with {} entries\n\n", info.name, rows.rows(), rows.cols());
  const double length = out.direction.norm();
  std::vector<std::vector<std::string>> lines{{"row", "weight", "length", "cosine with the direction"}};
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double own = rows.row(i).norm();
    const bool angle = own > 0 && length > 0;
    lines.push_back({std::to_string(i + 1), fmt::format("{:.10g}", out.weights.shared(i)), fmt::format("{:.6g}", own),
                     angle ? fmt::format("{:.6f}", rows.row(i).dot(out.direction) / own / length) : "none"});
  }
  fmt::print("{}", table(lines));
  if ((out.weights.heads.array() != 1).any()) {
    fmt::print("heads:");
    for (const double weight : out.weights.heads) fmt::print(" {:.10g}", weight);
    fmt::print("\n");
  }
  if (!out.weights.status.empty()) {
    fmt::print("{}, relative residual {:.1e}\n", out.weights.status, out.weights.residual);
  }
  fmt::print("\ndirection, of length {:.10g}:", length);
  const Eigen::Index shown = std::min(out.direction.size(), entries_shown);
  for (Eigen::Index j = 0; j < shown; ++j) fmt::print(" {:.10g}", out.direction(j));
  if (shown < out.direction.size()) fmt::print(" and {} more; --json shows all", out.direction.size() - shown);
  fmt::print("\n");
}

Json as_json(const WeightingInfo& info, const Json& options, const Aggregate& out) {
  return {{"status", "completed"},
          {"method", info.name},
          {"options", options},
          {"weights", aggregation::saved_vector(out.weights.shared)},
          {"heads", aggregation::saved_vector(out.weights.heads)},
          {"direction", aggregation::saved_vector(out.direction)},
          {"solver", out.weights.status},
          {"residual", out.weights.residual}};
}

}  // namespace

int aggregate(const AggregateArguments& arguments) {
  if (arguments.list) return list({"weightings", arguments.method});
  if (arguments.method.empty() || arguments.file.empty()) {
    throw Error(ErrorKind::usage, "moblo aggregate", "needs --method and a matrix",
                "`moblo aggregate --list` shows the methods");
  }
  const auto& info = find_weighting(arguments.method, "--method");
  lab::config::Config config;
  for (const auto& assignment : arguments.sets) config.set(assignment);
  const Json options = info.resolve(config.values, {&config, ""});
  const auto weighting = info.make(options);
  const WeightingNeeds needs = weighting->needs();

  const lab::data::NumberMatrix matrix = lab::data::read_matrix(arguments.file);
  const TaskGradients rows = Eigen::Map<const TaskGradients>(matrix.values.data(), matrix.rows, matrix.columns);
  const Eigen::Index tasks = tasks_of(info, rows, needs.samples, arguments.file);
  weighting->start(tasks);
  const TaskStep step{.k = 0, .epoch_length = 1, .losses = losses_of(arguments, needs, tasks), .gramian = {}};
  const Aggregate out = moblo::aggregate(*weighting, rows, step);
  arguments.json ? print_json(as_json(info, options, out)) : print_text(info, rows, out);
  return 0;
}

}  // namespace moblo::cli
