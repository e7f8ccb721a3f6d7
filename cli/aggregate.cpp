#include "moblo/aggregation/aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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

Eigen::VectorXd parse_losses(const std::string& flag, const std::string& text) {
  std::vector<double> losses;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double loss = 0;
    const auto [stop, problem] = std::from_chars(at, end, loss);
    if (problem != std::errc() || !std::isfinite(loss) || (stop != end && *stop != ',')) {
      throw Error(ErrorKind::usage, fmt::format("{} {}", flag, text), "is not a list of finite numbers",
                  fmt::format("Write for example {} 0.3,1.2", flag));
    }
    losses.push_back(loss);
    if (stop == end) break;
    at = stop + 1;
  }
  return Eigen::Map<const Eigen::VectorXd>(losses.data(), static_cast<Eigen::Index>(losses.size()));
}

Eigen::Index tasks_of(const WeightingInfo& info, Eigen::Index rows, int samples, const std::string& file) {
  if (rows % samples == 0) return rows / samples;
  throw Error(ErrorKind::data, fmt::format("{}: {} rows", file, rows),
              fmt::format("{} takes {} batches per step, one below the other", info.name, samples),
              fmt::format("Give {} rows per task", samples));
}

/// Of step k; one list may stand for all steps.
Eigen::VectorXd losses_at(std::size_t k, const std::string& flag, const std::vector<std::string>& given,
                          Eigen::Index tasks) {
  const std::string& text = given.size() == 1 ? given.front() : given[k];
  Eigen::VectorXd losses = parse_losses(flag, text);
  if (losses.size() == tasks) return losses;
  throw Error(ErrorKind::usage, fmt::format("{} {}", flag, text),
              fmt::format("{} losses for {} tasks", losses.size(), tasks), "Give one loss per task");
}

Eigen::VectorXd losses_of(const AggregateArguments& arguments, std::size_t k, const WeightingNeeds& needs,
                          Eigen::Index tasks) {
  if (!arguments.losses.empty()) return losses_at(k, "--losses", arguments.losses, tasks);
  if (!needs.losses) return Eigen::VectorXd::Ones(tasks);
  throw Error(ErrorKind::usage, fmt::format("--method {} without --losses", arguments.method),
              "weighs by the losses of the tasks", fmt::format("Give {} of them: --losses L1,L2,..", tasks));
}

void refuse_misfits(const AggregateArguments& arguments, const WeightingNeeds& needs, std::size_t steps) {
  const std::size_t losses = arguments.losses.size(), after = arguments.losses_after.size();
  if (losses > 1 && losses != steps) {
    throw Error(ErrorKind::usage, fmt::format("--losses {} times for {} files", losses, steps),
                "each is that of one step", "Give it once, or once per file");
  }
  if (needs.entries && !arguments.gramians.empty()) {
    throw Error(ErrorKind::usage, fmt::format("--method {} with --gramian", arguments.method),
                "reads the entries of the gradients, which a Gramian does not hold", "Give the matrix of gradients");
  }
  const bool enough = after == steps || after + 1 == steps;  // nothing comes after the last step
  if (!needs.losses_after || enough) return;
  throw Error(ErrorKind::usage,
              fmt::format("--method {}: --losses-after {} times for {} files", arguments.method, after, steps),
              "learns from the losses after each step", "Give them once per file; those after the last are optional");
}

/// What is reported of a step.
struct Answer {
  TaskWeights weights;
  Eigen::VectorXd lengths, cosines;                    // of the rows; with the direction, NaN where there is none
  double length = 0;                                   // of the direction
  std::optional<Eigen::VectorXd> direction, products;  // from a matrix; <row, direction>, from a Gramian
};

/// Of unit vectors: squares of long rows overflow.
Answer answer_from_rows(Weighting& weighting, const TaskGradients& rows, const TaskStep& step) {
  const Aggregate out = moblo::aggregate(weighting, rows, step);
  Answer answer;
  answer.weights = out.weights;
  answer.direction = out.direction;
  answer.length = out.direction.stableNorm();
  answer.lengths.resize(rows.rows());
  answer.cosines.setConstant(rows.rows(), std::nan(""));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double own = answer.lengths(i) = rows.row(i).stableNorm();
    if (own > 0 && answer.length > 0) answer.cosines(i) = (rows.row(i) / own).dot(out.direction / answer.length);
  }
  return answer;
}

Answer answer_from_gramian(Weighting& weighting, const Eigen::MatrixXd& gramian, const TaskStep& step) {
  const aggregation::GramianAggregate out = aggregation::aggregate_gramian(weighting, gramian, step);
  Answer answer;
  answer.weights = out.weights;
  answer.products = out.products;
  answer.length = out.length;
  answer.lengths = gramian.diagonal().cwiseSqrt();
  answer.cosines.setConstant(gramian.rows(), std::nan(""));
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    const double own = answer.lengths(i);
    if (own > 0 && out.length > 0) answer.cosines(i) = out.products(i) / own / out.length;
  }
  return answer;
}

void print_direction(const Answer& answer) {
  if (!answer.direction) {
    fmt::print("\ndirection of length {:.10g}; a Gramian does not tell its entries\n", answer.length);
    return;
  }
  fmt::print("\ndirection, of length {:.10g}:", answer.length);
  const Eigen::VectorXd& direction = *answer.direction;
  const Eigen::Index shown = std::min(direction.size(), entries_shown);
  for (Eigen::Index j = 0; j < shown; ++j) fmt::print(" {:.10g}", direction(j));
  if (shown < direction.size()) fmt::print(" and {} more; --json shows all", direction.size() - shown);
  fmt::print("\n");
}

void print_text(const WeightingInfo& info, const Answer& answer) {
  const Eigen::Index rows = answer.lengths.size();
  if (answer.direction) {
    fmt::print("{} of {} gradients with {} entries\n\n", info.name, rows, answer.direction->size());
  } else {
    fmt::print("{} of {} gradients, from their Gramian\n\n", info.name, rows);
  }
  std::vector<std::vector<std::string>> lines{{"row", "weight", "length"}};
  if (answer.products) lines[0].push_back("product with the direction");
  lines[0].push_back("cosine with the direction");
  for (Eigen::Index i = 0; i < rows; ++i) {
    lines.push_back({std::to_string(i + 1), fmt::format("{:.10g}", answer.weights.shared(i)),
                     fmt::format("{:.6g}", answer.lengths(i))});
    if (answer.products) lines.back().push_back(fmt::format("{:.6g}", (*answer.products)(i)));
    lines.back().push_back(std::isnan(answer.cosines(i)) ? "none" : fmt::format("{:.6f}", answer.cosines(i)));
  }
  fmt::print("{}", table(lines));
  if ((answer.weights.heads.array() != 1).any()) {
    fmt::print("heads:");
    for (const double weight : answer.weights.heads) fmt::print(" {:.10g}", weight);
    fmt::print("\n");
  }
  if (!answer.weights.status.empty()) {
    fmt::print("{}, relative residual {:.1e}\n", answer.weights.status, answer.weights.residual);
  }
  print_direction(answer);
}

Json as_json(const WeightingInfo& info, const Json& options, const Answer& answer) {
  Json object{{"status", "completed"},
              {"method", info.name},
              {"options", options},
              {"weights", aggregation::saved_vector(answer.weights.shared)},
              {"heads", aggregation::saved_vector(answer.weights.heads)}};
  if (answer.direction) {
    object["direction"] = aggregation::saved_vector(*answer.direction);
  } else {
    object["length"] = answer.length;
    object["products"] = aggregation::saved_vector(*answer.products);
  }
  object["solver"] = answer.weights.status;
  object["residual"] = answer.weights.residual;
  return object;
}

/// The files of a command in order, with one weighting that remembers what it has seen.
class Sequence {
 public:
  Sequence(const AggregateArguments& arguments, Weighting& weighting, const WeightingInfo& info)
      : arguments_(arguments),
        files_(arguments.gramians.empty() ? arguments.matrices : arguments.gramians),
        weighting_(weighting),
        info_(info) {
    refuse_misfits(arguments_, weighting_.needs(), files_.size());
  }

  const std::vector<std::string>& files() const { return files_; }

  Answer step(std::size_t k) {
    const lab::data::NumberMatrix matrix = lab::data::read_matrix(files_[k]);
    const TaskGradients rows = Eigen::Map<const TaskGradients>(matrix.values.data(), matrix.rows, matrix.columns);
    const bool is_gramian = !arguments_.gramians.empty();
    const Eigen::MatrixXd gramian = is_gramian ? aggregation::semidefinite_gramian(rows, files_[k]) : Eigen::MatrixXd();
    const WeightingNeeds needs = weighting_.needs();
    start_or_go_on(k, tasks_of(info_, rows.rows(), needs.samples, files_[k]));
    const Eigen::Index tasks = weighting_.tasks();
    const TaskStep step{.k = static_cast<std::int64_t>(k),
                        .epoch_length = 1,
                        .losses = losses_of(arguments_, k, needs, tasks),
                        .gramian = {}};
    try {
      Answer answer =
          is_gramian ? answer_from_gramian(weighting_, gramian, step) : answer_from_rows(weighting_, rows, step);
      if (needs.losses_after && k < arguments_.losses_after.size()) {
        weighting_.observe_after(losses_at(k, "--losses-after", arguments_.losses_after, tasks));
      }
      return answer;
    } catch (const Error& error) {
      throw Error(error.kind(), files_[k], error.what(), "");
    }
  }

 private:
  void start_or_go_on(std::size_t k, Eigen::Index tasks) {
    if (k == 0) weighting_.start(tasks);
    if (tasks == weighting_.tasks()) return;
    throw Error(
        ErrorKind::data, fmt::format("{}: {} tasks", files_[k], tasks),
        fmt::format("{} has {}, and a weighting goes on with as many as it began with", files_[0], weighting_.tasks()),
        "Give files of the same tasks");
  }

  const AggregateArguments& arguments_;
  const std::vector<std::string>& files_;
  Weighting& weighting_;
  const WeightingInfo& info_;
};

void refuse_unless_files(const AggregateArguments& arguments) {
  if (!arguments.gramians.empty() && !arguments.matrices.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{} and --gramian {}", arguments.matrices[0], arguments.gramians[0]),
                "are a matrix of gradients and a Gramian", "Give one of them; each Gramian needs --gramian before it");
  }
  if (!arguments.method.empty() && arguments.gramians.size() + arguments.matrices.size() > 0) return;
  throw Error(ErrorKind::usage, "moblo aggregate", "needs --method and a matrix",
              "`moblo aggregate --list` shows the methods");
}

}  // namespace

int aggregate(const AggregateArguments& arguments) {
  if (arguments.list) return list({"weightings", arguments.method});
  refuse_unless_files(arguments);
  const auto& info = find_weighting(arguments.method, "--method");
  lab::config::Config config;
  for (const auto& assignment : arguments.sets) config.set(assignment);
  const Json options = info.resolve(config.values, {&config, ""});
  const auto weighting = info.make(options);
  Sequence sequence(arguments, *weighting, info);

  const std::size_t steps = sequence.files().size();
  Json all = Json::array();
  for (std::size_t k = 0; k < steps; ++k) {
    const Answer answer = sequence.step(k);
    if (arguments.json) {
      all.push_back(as_json(info, options, answer));
      if (steps > 1) all.back()["file"] = sequence.files()[k];
      continue;
    }
    if (steps > 1) fmt::print("{}step {}, {}\n", k > 0 ? "\n" : "", k + 1, sequence.files()[k]);
    print_text(info, answer);
  }
  if (arguments.json) print_json(steps > 1 ? all : all[0]);
  return 0;
}

}  // namespace moblo::cli
