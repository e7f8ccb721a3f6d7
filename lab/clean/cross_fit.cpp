#include "lab/clean/cross_fit.hpp"

#include "lab/clean/judges.hpp"

namespace moblo::lab::clean {
namespace {

ClassChances nothing_yet(std::int64_t samples, std::size_t classes) {
  return {classes, std::vector<double>(static_cast<std::size_t>(samples) * classes)};
}

ClassChances chances_in(const Judge& judge, const JobResult& model, const LabelledInputs& samples,
                        const std::vector<std::int64_t>& rows) {
  return judge.chances(model, samples.inputs.index_select(0, torch::tensor(rows, torch::kInt64)));
}

void place_rows(const std::vector<double>& values, const std::vector<std::int64_t>& rows, ClassChances& into) {
  auto value = values.begin();
  for (const auto row : rows) {
    std::copy_n(value, into.classes, into.row(static_cast<std::size_t>(row)));
    value += static_cast<std::ptrdiff_t>(into.classes);
  }
}

std::vector<ClassChances> evidence_of(const std::vector<CrossFit>& fits, int last_stage, ClassChances Evidence::*part) {
  std::vector<ClassChances> out;
  for (const auto& fit : fits) {
    if (!fit.judge || fit.judge->stage <= last_stage) out.push_back(fit.evidence.*part);
  }
  return out;
}

}  // namespace

CrossFit empty_cross_fit(const Judge& judge, const CleanTask& task, const CleanOptions& options) {
  return {&judge,
          {judge.name, nothing_yet(task.noisy.size(), task.classes.size()),
           nothing_yet(task.trusted.size(), task.classes.size())},
          std::vector<JobResult>(static_cast<std::size_t>(options.folds))};
}

CrossFit brought_cross_fit(const CleanTask& task) {
  return {nullptr, {brought_judge, task.noisy.brought, task.trusted.brought}, {}};
}

FoldWork fold_work(const CleanTask& task, const CleanOptions& options, const Folds& folds, std::int64_t k,
                   std::uint64_t seed) {
  return {task, options, rows_outside(folds.noisy, k), rows_outside(folds.trusted, k), seed};
}

Job fold_job(const std::string& name, const Folds& folds, std::int64_t k, std::function<FoldWork()> work,
             std::int64_t steps, CrossFit& into, Monitor& monitor) {
  const auto& judge = *into.judge;
  return {name, steps,
          [&folds, &judge, &monitor, work = std::move(work), k] {
            const auto on = work();
            auto result = judge.learn(on, monitor);
            const auto noisy = chances_in(judge, result, on.task.noisy, rows_in(folds.noisy, k)),
                       trusted = chances_in(judge, result, on.task.trusted, rows_in(folds.trusted, k));
            put_numbers(result, "chances of noisy", noisy.values);
            put_numbers(result, "chances of trusted", trusted.values);
            return result;
          },
          [&folds, &into, k](const JobResult& result) {
            const auto noisy = rows_in(folds.noisy, k), trusted = rows_in(folds.trusted, k);
            const auto classes = into.evidence.noisy.classes;
            place_rows(numbers_in(result, "chances of noisy", noisy.size() * classes), noisy, into.evidence.noisy);
            place_rows(numbers_in(result, "chances of trusted", trusted.size() * classes), trusted,
                       into.evidence.trusted);
            auto& model = into.models[static_cast<std::size_t>(k)];
            model = result;
            std::erase_if(model, [](const auto& tensor) { return tensor.name.starts_with("chances of "); });
          }};
}

std::vector<ClassChances> on_noisy(const std::vector<CrossFit>& fits, int last_stage) {
  return evidence_of(fits, last_stage, &Evidence::noisy);
}

std::vector<ClassChances> on_trusted(const std::vector<CrossFit>& fits, int last_stage) {
  return evidence_of(fits, last_stage, &Evidence::trusted);
}

}  // namespace moblo::lab::clean
