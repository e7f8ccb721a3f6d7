#include "lab/clean/judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/clean/fit.hpp"
#include "lab/clean/pool.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t fewest_to_learn_from = 20;  ///< from which a network of the trusted labels alone is worth a look

using Rows = std::vector<std::int64_t>;

nets::DenseClassifier fresh_network(const FoldWork& work, const std::vector<std::int64_t>& hidden) {
  std::vector<std::int64_t> widths{work.task.width()};
  widths.insert(widths.end(), hidden.begin(), hidden.end());
  widths.push_back(static_cast<std::int64_t>(work.task.classes.size()));
  return nets::DenseClassifier::draw(widths, derive_seed(work.seed, "start"));
}

torch::Tensor inputs_at(const torch::Tensor& inputs, const Rows& rows) {
  return inputs.index_select(0, torch::tensor(rows, torch::kInt64));
}

Lesson trusted_lesson(const FoldWork& work) {
  const auto& part = work.task.trusted;
  return {inputs_at(part.inputs, work.trusted), one_hot(labels_at(part.labels, work.trusted), work.task.classes.size()),
          torch::ones({static_cast<std::int64_t>(work.trusted.size())})};
}

/// No more noisy samples than the steps will look at once; they are in random order of their own.
Rows looked_at(const FoldWork& work, const FitPlan& plan) {
  const auto most = static_cast<std::size_t>(plan.steps * plan.batch);
  if (work.noisy.size() <= most) return work.noisy;
  const auto order = Rng(derive_seed(work.seed, "looked at")).permutation(static_cast<std::int64_t>(work.noisy.size()));
  Rows rows;
  for (std::size_t i = 0; i < most; ++i) rows.push_back(work.noisy[static_cast<std::size_t>(order[i])]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::int64_t samples_of(const FoldWork& work) {
  return static_cast<std::int64_t>(work.noisy.size() + work.trusted.size());
}

FitPlan plan_of(const FoldWork& work, std::int64_t samples) {
  return fit_plan(work.options, work.task, samples, derive_seed(work.seed, "training"));
}

JobResult as_result(const nets::DenseClassifier& network) {
  JobResult result;
  put_network(result, "network", network);
  return result;
}

JobResult learn_from_all(const FoldWork& work, const FitPlan& plan, const std::vector<std::int64_t>& hidden,
                         Monitor& monitor) {
  const auto rows = looked_at(work, plan);
  const auto given = labels_at(work.task.noisy.labels, rows);
  const auto likelihood = work.noise ? label_likelihood(given, *work.noise) : one_hot(given, work.task.classes.size());
  const Lesson noisy{inputs_at(work.task.noisy.inputs, rows), likelihood,
                     torch::ones({static_cast<std::int64_t>(rows.size())})};
  return as_result(fit(joined(noisy, trusted_lesson(work)), fresh_network(work, hidden), plan, monitor));
}

JobResult learn_network(const FoldWork& work, Monitor& monitor) {
  return learn_from_all(work, plan_of(work, samples_of(work)), work.options.hidden, monitor);
}

JobResult learn_linear(const FoldWork& work, Monitor& monitor) {
  auto plan = plan_of(work, samples_of(work));
  plan.dropout = {};
  plan.step_size *= 5;
  return learn_from_all(work, plan, {}, monitor);
}

/// One layer, as wide as both of the others' two, and with more dropout: its errors are others.
JobResult learn_wide(const FoldWork& work, Monitor& monitor) {
  auto plan = plan_of(work, samples_of(work));
  plan.dropout.hidden = 1 - 0.6 * (1 - plan.dropout.hidden);
  const auto& hidden = work.options.hidden;
  const std::vector<std::int64_t> width(hidden.empty() ? 0 : 1, hidden.empty() ? 0 : 2 * hidden.front());
  return learn_from_all(work, plan, width, monitor);
}

JobResult learn_from_trusted(const FoldWork& work, Monitor& monitor) {
  const auto plan = plan_of(work, static_cast<std::int64_t>(work.trusted.size()));
  return as_result(fit(trusted_lesson(work), fresh_network(work, work.options.hidden), plan, monitor));
}

ClassChances network_chances(const JobResult& model, const torch::Tensor& inputs) {
  return class_chances(network_in(model, "network"), inputs);
}

bool has_enough_trusted(const CleanTask& task) {
  const std::set<std::int64_t> classes(task.trusted.labels.begin(), task.trusted.labels.end());
  return task.trusted.size() >= fewest_to_learn_from && classes.size() > 1;
}

bool always(const CleanTask&) {
  return true;
}

}  // namespace

Judge plain_judge() {
  return {"plain",
          "all labels as given",
          "trusted + noisy",
          1,
          [](const FoldWork& work) { return plan_of(work, samples_of(work)).steps; },
          learn_network,
          network_chances,
          always,
          true,
          true};
}

Judge linear_judge() {
  auto judge = plain_judge();
  judge.name = "linear";
  judge.sentence = "all labels as given, linear";
  judge.learn = learn_linear;
  return judge;
}

Judge trusted_judge() {
  return {"trusted",
          "trusted labels only",
          "trusted",
          1,
          [](const FoldWork& work) { return plan_of(work, static_cast<std::int64_t>(work.trusted.size())).steps; },
          learn_from_trusted,
          network_chances,
          has_enough_trusted,
          true,
          true};
}

Judge robust_judge() {
  auto judge = plain_judge();
  judge.name = "robust";
  judge.sentence = "labels as draws of the noise";
  judge.stage = 2;
  judge.simple = false;
  return judge;
}

Judge wide_judge() {
  auto judge = robust_judge();
  judge.name = "wide";
  judge.sentence = "the same, one wide layer";
  judge.learn = learn_wide;
  return judge;
}

const std::vector<Judge>& all_judges() {
  static const std::vector<Judge> judges{linear_judge(), trees_judge(),        plain_judge(), trusted_judge(),
                                         robust_judge(), robust_trees_judge(), wide_judge(),  bilevel_judge()};
  return judges;
}

bool asks_brought(const CleanTask& task, const CleanOptions& options) {
  if (task.noisy.brought.values.empty()) return false;
  return options.judges.empty() ||
         std::find(options.judges.begin(), options.judges.end(), brought_judge) != options.judges.end();
}

std::vector<const Judge*> chosen_judges(const CleanTask& task, const CleanOptions& options) {
  std::vector<std::string> names{brought_judge};
  for (const auto& judge : all_judges()) names.push_back(judge.name);
  for (const auto& name : options.judges) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error(ErrorKind::usage, fmt::format("--judges {}", name),
                "there is no such judge" + base::suggestion(name, names), "Choose among " + base::join(names, ", "));
  }
  std::vector<const Judge*> chosen;
  for (const auto& judge : all_judges()) {
    const bool asked = options.judges.empty() ? judge.by_default
                                              : std::find(options.judges.begin(), options.judges.end(), judge.name) !=
                                                    options.judges.end();
    if (asked && judge.possible(task)) chosen.push_back(&judge);
  }
  if (chosen.empty() && !asks_brought(task, options)) {
    throw Error(ErrorKind::usage, fmt::format("--judges {}", base::join(options.judges, ",")),
                fmt::format("none of them can judge the dataset {}", task.name),
                "`trusted` needs trusted labels of two classes, `given` needs --probabilities FILE");
  }
  return chosen;
}

}  // namespace moblo::lab::clean
