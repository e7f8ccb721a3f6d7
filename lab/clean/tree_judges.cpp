#include <algorithm>
#include <cmath>

#include "lab/clean/judges.hpp"
#include "lab/clean/trees.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 16;  // that trees are grown from

/// Few columns for each tree and large leaves: the errors of the labels are not learned by heart.
TreeOptions plain_trees() {
  return {};
}

/// A loss that knows of the errors bears smaller leaves.
TreeOptions robust_trees() {
  TreeOptions options;
  options.rounds = 150, options.depth = 5, options.smallest_leaf = 5;
  return options;
}

TreeOptions trees_for(TreeOptions options, const FoldWork& work) {
  const double shorter = std::min(1.0, static_cast<double>(work.options.steps) / 1000);
  // of many classes, which need a tree each, fewer rounds are grown
  const double fewer = std::min(1.0, 8 / static_cast<double>(work.task.classes.size()));
  options.rounds = std::max<std::int64_t>(10, std::llround(static_cast<double>(options.rounds) * shorter * fewer));
  return options;
}

/// At most `most_rows`, drawn with the seed, in their order.
std::vector<std::int64_t> rows_for_trees(const FoldWork& work) {
  const auto count = static_cast<std::int64_t>(work.noisy.size());
  if (count <= most_rows) return work.noisy;
  auto order = Rng(derive_seed(work.seed, "rows of trees")).permutation(count);
  order.resize(static_cast<std::size_t>(most_rows));
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> rows;
  for (const auto at : order) rows.push_back(work.noisy[static_cast<std::size_t>(at)]);
  return rows;
}

Lesson lesson_at(const LabelledInputs& part, const std::vector<std::int64_t>& rows, std::size_t classes,
                 const NoiseModel* noise) {
  Labels labels;
  for (const auto row : rows) labels.push_back(part.labels[static_cast<std::size_t>(row)]);
  return {part.inputs.index_select(0, torch::tensor(rows, torch::kInt64)),
          noise ? label_likelihood(labels, *noise) : one_hot(labels, classes),
          torch::ones({static_cast<std::int64_t>(rows.size())})};
}

Judge judge_of_trees(const std::string& name, const std::string& sentence, int stage, const TreeOptions& options) {
  Judge judge;
  judge.name = name;
  judge.sentence = sentence;
  judge.learns_from = "trusted + noisy";
  judge.stage = stage;
  judge.steps = [options](const FoldWork& work) { return trees_for(options, work).rounds; };
  judge.learn = [options](const FoldWork& work, Monitor& monitor) {
    const auto classes = work.task.classes.size();
    auto lesson = lesson_at(work.task.noisy, rows_for_trees(work), classes, work.noise);
    if (!work.trusted.empty()) {
      lesson = joined(lesson, lesson_at(work.task.trusted, work.trusted, classes, nullptr));
    }
    JobResult result;
    put_trees(result, "boosted", fit_trees(lesson, trees_for(options, work), work.seed, monitor));
    return result;
  };
  judge.chances = [](const JobResult& model, const torch::Tensor& inputs) {
    return tree_chances(trees_in(model, "boosted"), inputs);
  };
  judge.possible = [](const CleanTask& task) { return !task.encoding.is_null() && !trees_version().empty(); };
  return judge;
}

}  // namespace

Judge trees_judge() {
  auto judge = judge_of_trees("trees", "boosted trees", 1, plain_trees());
  judge.simple = true;
  return judge;
}

Judge robust_trees_judge() {
  return judge_of_trees("robust_trees", "boosted trees, labels as draws of the noise", 2, robust_trees());
}

}  // namespace moblo::lab::clean
