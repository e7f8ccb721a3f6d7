#include "lab/clean/clean.hpp"

#include <fmt/format.h>

#include <functional>

#include "lab/clean/conclude.hpp"
#include "lab/clean/judges.hpp"
#include "lab/clean/score.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

using Jobs = std::vector<Job>;

/// What has been learned of one task so far.
struct Known {
  Folds folds;
  std::vector<CrossFit> fits;     // one a judge
  std::vector<NoiseModel> noise;  // of each fold, from the others
};

class Pipeline {
 public:
  Pipeline(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state)
      : tasks_(tasks), options_(options), monitor_(monitor), state_(state), known_(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      known_[i].folds = deal_folds(tasks[i], options, seed(i, "folds"));
      if (asks_brought(tasks[i], options)) known_[i].fits.push_back(brought_cross_fit(tasks[i]));
      for (const auto* judge : chosen_judges(tasks[i], options)) {
        known_[i].fits.push_back(empty_cross_fit(*judge, tasks[i], options));
      }
    }
  }

  Cleaned run() {
    const auto first = judging_jobs(1), second = judging_jobs(2);
    for (const auto* jobs : {&first, &second}) expect_steps(*jobs);
    run_stage("cross-fitting", first);
    for (std::size_t i = 0; i < tasks_.size(); ++i) estimate_noise_by_fold(i);
    run_stage("cross-fitting with the noise", second);
    for (std::size_t i = 0; i < tasks_.size(); ++i) conclude_task(i);
    return std::move(cleaned_);
  }

 private:
  std::uint64_t seed(std::size_t task, const std::string& purpose, std::uint64_t index = 0) const {
    return derive_seed(derive_seed(options_.seed, tasks_[task].name), purpose, index);
  }

  /// Those that are left.
  void expect_steps(const Jobs& jobs) {
    for (const auto& job : jobs) monitor_.expect(state_.has(job.name) ? 0 : job.steps);
  }
  void run_stage(const char* stage, const Jobs& jobs) {
    monitor_.enter(stage);
    run_jobs(jobs, options_.threads, state_, monitor_);
  }

  FoldWork work(std::size_t i, const Judge& judge, std::int64_t k) const {
    auto on = fold_work(tasks_[i], options_, known_[i].folds, k, seed(i, judge.name, static_cast<std::uint64_t>(k)));
    if (judge.stage > 1) on.noise = &known_[i].noise[static_cast<std::size_t>(k)];
    return on;
  }

  Jobs judging_jobs(int stage) {
    Jobs jobs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (auto& fit : known_[i].fits) {
        if (!fit.judge || fit.judge->stage != stage) continue;
        const auto& judge = *fit.judge;
        for (std::int64_t k = 0; k < options_.folds; ++k) {
          const auto steps = judge.steps(fold_work(tasks_[i], options_, known_[i].folds, k, 0));
          jobs.push_back(fold_job(
              fmt::format("{}_{}_fold_{}", judge.name, i, k), known_[i].folds, k,
              [this, i, &judge, k] { return work(i, judge, k); }, steps, fit, monitor_));
        }
      }
    }
    return jobs;
  }

  /// Without a judge that can do without, there is nobody to ask for it.
  void estimate_noise_by_fold(std::size_t i) {
    auto& own = known_[i];
    const auto noisy = on_noisy(own.fits, 1), trusted = on_trusted(own.fits, 1);
    if (noisy.size() == own.fits.size()) return;
    for (std::int64_t k = 0; k < options_.folds; ++k) {
      const auto pool = pool_without(tasks_[i], own.folds, k, noisy, trusted);
      own.noise.push_back(noise_seen(pooled(pool, noisy, tasks_[i].noisy.labels), tasks_[i].noisy.labels));
    }
  }

  void conclude_task(std::size_t i) {
    cleaned_.findings.push_back(conclude(tasks_[i], options_, known_[i].folds, known_[i].fits, seed(i, "conclusions")));
    cleaned_.models.push_back(chosen_model(i));
    measure(i);
  }

  CleanModel chosen_model(std::size_t i) const {
    const auto& found = cleaned_.findings[i];
    CleanModel model;
    if (found.candidates.empty()) return model;
    std::size_t m = 0;
    for (const auto& fit : known_[i].fits) {
      if (!fit.judge) continue;
      const double share = found.candidates[found.choice.chosen].shares[m++];
      for (std::int64_t k = 0; share > 0 && k < options_.folds; ++k) {
        model.push_back(
            {fit.judge, k, share / static_cast<double>(options_.folds), fit.models[static_cast<std::size_t>(k)]});
      }
    }
    return model;
  }

  /// Single judges, with the mean of their fold models, then the whole.
  void measure(std::size_t i) {
    auto& found = cleaned_.findings[i];
    const auto& task = tasks_[i];
    std::size_t m = 0;
    for (const auto& fit : known_[i].fits) {
      const auto suspicion = unlikeliness(fit.evidence.noisy, task.noisy.labels);
      if (!fit.judge) {
        found.ways.push_back(way("given probabilities", "a model of yours", suspicion, nullptr, task));
        continue;
      }
      CleanModel own;
      for (const auto& model : fit.models) {
        own.push_back({fit.judge, 0, 1 / static_cast<double>(options_.folds), model});
      }
      add_way(found, fit.judge->sentence, fit.judge->learns_from, suspicion, own, task, m++);
    }
    add_way(found, "moblo clean", "trusted + noisy", found.wrong, cleaned_.models[i], task, found.choice.chosen);
  }

  static void add_way(DatasetFindings& found, const std::string& name, const std::string& learns_from,
                      const std::vector<double>& suspicion, const CleanModel& model, const CleanTask& task,
                      std::size_t candidate) {
    ClassChances test;
    if (task.test && !model.empty()) test = chances_of(model, task.test->inputs);
    found.ways.push_back(way(name, learns_from, suspicion, test.values.empty() ? nullptr : &test, task));
    if (found.choice.measured) found.ways.back().held_out_accuracy = found.choice.accuracy[candidate];
  }

  const std::vector<CleanTask>& tasks_;
  const CleanOptions& options_;
  Monitor& monitor_;
  CleanState& state_;
  std::vector<Known> known_;
  Cleaned cleaned_;
};

}  // namespace

ClassChances chances_of(const CleanModel& model, const torch::Tensor& inputs) {
  std::vector<ClassChances> members;
  std::vector<double> shares;
  for (const auto& member : model) {
    members.push_back(member.judge->chances(member.tensors, inputs));
    shares.push_back(member.share);
  }
  return mixed(members, shares);
}

Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state) {
  return Pipeline(tasks, options, monitor, state).run();
}

Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor) {
  CleanState nothing_kept;
  return clean(tasks, options, monitor, nothing_kept);
}

}  // namespace moblo::lab::clean
