#include "lab/clean/clean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lab/clean/bilevel.hpp"
#include "lab/clean/fit.hpp"
#include "lab/clean/score.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::size_t rounds = 2;

using Jobs = std::vector<Job>;
using Networks = std::vector<nets::DenseClassifier>;

/// Judgements of networks that have not seen the label of what they judge.
struct Round {
  std::vector<std::int64_t> fold;  // of each noisy sample
  ClassChances noisy, held_out;
};

/// What has been learned of one task so far.
struct Known {
  std::vector<BilevelEvidence> bilevel;           // one, once it is there
  Networks trusted_only, all_as_given, refitted;  // one each
  std::vector<Round> rounds;                      // by networks that know how labels go wrong
  ClassChances out_of_fold;  // by networks that were taught the labels as they are, in the first round's folds
  NoiseModel noise;
};

class Pipeline {
 public:
  Pipeline(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state)
      : tasks_(tasks), options_(options), monitor_(monitor), state_(state), known_(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      known_[i].out_of_fold = nothing_yet(i, tasks[i].noisy.size());
      for (std::uint64_t round = 0; round < rounds; ++round) {
        known_[i].rounds.push_back(
            {dealt_folds(i, round), nothing_yet(i, tasks[i].noisy.size()), nothing_yet(i, tasks[i].held_out.size())});
      }
    }
  }

  Cleaned run() {
    const auto first = first_jobs(), judging = judging_jobs(0), judging_again = judging_jobs(1),
               refitting = refitting_jobs();
    for (const auto* jobs : {&first, &judging, &judging_again, &refitting}) expect_steps(*jobs);
    run_stage("bi-level weights and baselines", first);
    for (std::size_t i = 0; i < tasks_.size(); ++i) estimate_noise_first(i);
    run_stage("cross-fitting", judging);
    for (std::size_t i = 0; i < tasks_.size(); ++i) known_[i].noise = judged(i, 1).noise;
    run_stage("cross-fitting again", judging_again);
    for (std::size_t i = 0; i < tasks_.size(); ++i) conclude(i);
    run_stage("refitting", refitting);
    for (std::size_t i = 0; i < tasks_.size(); ++i) measure(i);
    return std::move(cleaned_);
  }

 private:
  std::uint64_t seed(std::size_t task, const char* purpose, std::uint64_t index = 0) const {
    return derive_seed(derive_seed(options_.seed, tasks_[task].name), purpose, index);
  }
  std::size_t classes(std::size_t i) const { return tasks_[i].classes.size(); }

  ClassChances nothing_yet(std::size_t i, std::int64_t samples) const {
    return {classes(i), std::vector<double>(static_cast<std::size_t>(samples) * classes(i))};
  }

  std::vector<std::int64_t> dealt_folds(std::size_t i, std::uint64_t round) const {
    const auto order = Rng(seed(i, "folds", round)).permutation(tasks_[i].noisy.size());
    std::vector<std::int64_t> fold(order.size());
    for (std::size_t j = 0; j < order.size(); ++j) {
      fold[static_cast<std::size_t>(order[j])] = static_cast<std::int64_t>(j) % options_.folds;
    }
    return fold;
  }

  /// Those that are left.
  void expect_steps(const Jobs& jobs) {
    for (const auto& job : jobs) monitor_.expect(state_.has(job.name) ? 0 : job.steps);
  }
  void run_stage(const char* stage, const Jobs& jobs) {
    monitor_.enter(stage);
    run_jobs(jobs, options_.threads, state_, monitor_);
  }

  std::int64_t steps_for(std::size_t i, std::int64_t samples) const {
    return fit_plan(options_, tasks_[i], samples, 0).steps;
  }
  std::int64_t steps_for_all(std::size_t i) const {
    return steps_for(i, tasks_[i].trusted.size() + tasks_[i].noisy.size());
  }
  std::int64_t steps_without(std::size_t i, std::size_t round, std::int64_t k) const {
    const auto& fold = known_[i].rounds[round].fold;
    return steps_for(
        i, tasks_[i].trusted.size() + std::count_if(fold.begin(), fold.end(), [k](auto f) { return f != k; }));
  }

  nets::DenseClassifier fresh(std::size_t i, const char* purpose, std::uint64_t index = 0) const {
    std::vector<std::int64_t> widths{tasks_[i].width()};
    widths.insert(widths.end(), options_.hidden.begin(), options_.hidden.end());
    widths.push_back(static_cast<std::int64_t>(classes(i)));
    return nets::DenseClassifier::draw(widths, seed(i, purpose, index));
  }

  FitPlan plan(std::size_t i, const Lesson& lesson, const char* purpose, std::uint64_t index = 0) const {
    return fit_plan(options_, tasks_[i], lesson.inputs.size(0), seed(i, purpose, index));
  }
  /// From a start that is trained already: half the step size.
  FitPlan continued(FitPlan plan) const {
    plan.step_size /= 2;
    return plan;
  }

  Lesson trusted_lesson(std::size_t i) const {
    const auto& part = tasks_[i].trusted;
    return {part.inputs, one_hot(part.labels, classes(i)), torch::ones({part.size()})};
  }
  /// All trusted samples, and the noisy ones with `likelihood`, apart from those of fold k.
  Lesson lesson_without(std::size_t i, const std::vector<std::int64_t>& fold, std::int64_t k,
                        const torch::Tensor& likelihood) const {
    std::vector<std::int64_t> rows;
    for (std::size_t j = 0; j < fold.size(); ++j) {
      if (fold[j] != k) rows.push_back(static_cast<std::int64_t>(j));
    }
    const auto chosen = torch::tensor(rows, torch::kInt64);
    const Lesson others{tasks_[i].noisy.inputs.index_select(0, chosen), likelihood.index_select(0, chosen),
                        torch::ones({static_cast<std::int64_t>(rows.size())})};
    return joined(others, trusted_lesson(i));
  }
  Lesson whole_lesson(std::size_t i, const std::vector<double>& weights) const {
    const auto& noisy = tasks_[i].noisy;
    return joined(
        {noisy.inputs, one_hot(noisy.labels, classes(i)), torch::tensor(weights, torch::kFloat64).to(torch::kFloat32)},
        trusted_lesson(i));
  }

  /// Longest first, so that no thread is left waiting for a long one.
  Jobs first_jobs() {
    Jobs jobs;
    for (const auto& group : groups_of_one_width(tasks_)) jobs.push_back(bilevel_job(group));
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (std::int64_t k = 0; k < options_.folds; ++k) {
        jobs.push_back({fmt::format("as_given_{}_fold_{}", i, k), steps_without(i, 0, k),
                        [this, i, k] { return judge_as_given(i, k); },
                        [this, i, k](const JobResult& result) {
                          take_fold(result, "noisy", known_[i].rounds[0].fold, k, known_[i].out_of_fold);
                        }});
      }
      jobs.push_back(network_job(
          fmt::format("as_given_{}", i), steps_for_all(i), [this, i] { return learn_all_as_given(i); },
          known_[i].all_as_given));
      jobs.push_back(network_job(
          fmt::format("trusted_only_{}", i), steps_for(i, tasks_[i].trusted.size()),
          [this, i] { return learn_trusted_only(i); }, known_[i].trusted_only));
    }
    return jobs;
  }

  Job bilevel_job(const std::vector<std::size_t>& group) {
    std::vector<const CleanTask*> members;
    for (const auto i : group) members.push_back(&tasks_[i]);
    return {fmt::format("bilevel_{}", group.front()), options_.bilevel_iterations,
            [this, members] { return to_result(learn_weights(members, options_, monitor_)); },
            [this, members, group](const JobResult& result) {
              auto evidence = evidence_in(result, members);
              for (std::size_t g = 0; g < group.size(); ++g) known_[group[g]].bilevel.push_back(std::move(evidence[g]));
            }};
  }

  JobResult judge_as_given(std::size_t i, std::int64_t k) const {
    const auto index = static_cast<std::uint64_t>(k);
    const auto& fold = known_[i].rounds[0].fold;
    const auto lesson = lesson_without(i, fold, k, one_hot(tasks_[i].noisy.labels, classes(i)));
    const auto network =
        fit(lesson, fresh(i, "start out of fold", index), plan(i, lesson, "out of fold", index), monitor_);
    JobResult result;
    put_fold(result, "noisy", class_chances(network, tasks_[i].noisy.inputs), fold, k);
    return result;
  }

  nets::DenseClassifier learn_trusted_only(std::size_t i) const {
    const auto lesson = trusted_lesson(i);
    return fit_and_select(lesson, fresh(i, "start trusted only"), plan(i, lesson, "trusted only"), tasks_[i].held_out,
                          monitor_);
  }

  nets::DenseClassifier learn_all_as_given(std::size_t i) const {
    const auto lesson = whole_lesson(i, std::vector<double>(tasks_[i].noisy.labels.size(), 1.0));
    return fit_and_select(lesson, fresh(i, "start as given"), plan(i, lesson, "as given"), tasks_[i].held_out,
                          monitor_);
  }

  void estimate_noise_first(std::size_t i) {
    const auto& network = known_[i].bilevel.front().network;
    const double power = best_power(class_chances(network, tasks_[i].held_out.inputs), tasks_[i].held_out.labels);
    known_[i].noise =
        estimate_noise(sharpened(class_chances(network, tasks_[i].noisy.inputs), power), tasks_[i].noisy.labels);
  }

  /// Held-out samples are dealt to the folds as well: each is judged by one network, as the noisy ones are, since the
  /// mean of all would be more sure of itself.
  std::vector<std::int64_t> held_out_folds(std::size_t i) const {
    std::vector<std::int64_t> folds(tasks_[i].held_out.labels.size());
    for (std::size_t j = 0; j < folds.size(); ++j) folds[j] = static_cast<std::int64_t>(j) % options_.folds;
    return folds;
  }

  Jobs judging_jobs(std::size_t round) {
    Jobs jobs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (std::int64_t k = 0; k < options_.folds; ++k) {
        jobs.push_back({fmt::format("judged_{}_round_{}_fold_{}", i, round, k), steps_without(i, round, k),
                        [this, i, round, k] { return judge(i, round, k); },
                        [this, i, round, k](const JobResult& result) {
                          auto& own = known_[i].rounds[round];
                          take_fold(result, "noisy", own.fold, k, own.noisy);
                          take_fold(result, "held_out", held_out_folds(i), k, own.held_out);
                        }});
      }
    }
    return jobs;
  }

  /// The first round goes on from the bi-level network, the second starts over: their errors differ, their mean has
  /// less.
  JobResult judge(std::size_t i, std::size_t round, std::int64_t k) const {
    const auto& fold = known_[i].rounds[round].fold;
    const auto index = static_cast<std::uint64_t>(options_.folds) * round + static_cast<std::uint64_t>(k);
    const auto lesson = lesson_without(i, fold, k, label_likelihood(tasks_[i].noisy.labels, known_[i].noise));
    const auto from_nothing = plan(i, lesson, "judging", index);
    const auto network = round == 0 ? fit(lesson, known_[i].bilevel.front().network, continued(from_nothing), monitor_)
                                    : fit(lesson, fresh(i, "start judging", index), from_nothing, monitor_);
    JobResult result;
    put_fold(result, "noisy", class_chances(network, tasks_[i].noisy.inputs), fold, k);
    put_fold(result, "held_out", class_chances(network, tasks_[i].held_out.inputs), held_out_folds(i), k);
    return result;
  }

  struct Judgement {
    std::vector<double> shares;  // of the judges
    double power;
    ClassChances noisy, held_out;
    NoiseModel noise;
  };

  /// The judges are the first rounds' networks and the one that learned from the trusted labels only: where noisy
  /// labels do more harm than good, it is the better one. Each is made honest on the held-out samples, then their
  /// mixture, as suits these samples best, is; the noise follows from it.
  Judgement judged(std::size_t i, std::size_t count) const {
    const auto& task = tasks_[i];
    std::vector<ClassChances> noisy, held_out;
    const auto add = [&](const ClassChances& on_noisy, const ClassChances& on_held_out) {
      const double power = best_power(on_held_out, task.held_out.labels);
      noisy.push_back(sharpened(on_noisy, power));
      held_out.push_back(sharpened(on_held_out, power));
    };
    for (std::size_t round = 0; round < count; ++round) {
      add(known_[i].rounds[round].noisy, known_[i].rounds[round].held_out);
    }
    const auto& trusted_only = known_[i].trusted_only.front();
    add(class_chances(trusted_only, task.noisy.inputs), class_chances(trusted_only, task.held_out.inputs));
    Judgement out{mixing_shares(held_out, task.held_out.labels), 1, {}, {}, {}};
    const auto mixture = mixed(held_out, out.shares);
    out.power = best_power(mixture, task.held_out.labels);
    out.noisy = sharpened(mixed(noisy, out.shares), out.power);
    out.held_out = sharpened(mixture, out.power);
    out.noise = estimate_noise(out.noisy, task.noisy.labels);
    return out;
  }

  void conclude(std::size_t i) {
    const auto& task = tasks_[i];
    const auto judgement = judged(i, rounds);
    DatasetFindings found;
    found.judges = judgement.shares;
    found.power = judgement.power;
    found.noise = judgement.noise;
    auto cases = rehearse(judgement.held_out, task.held_out.labels, found.noise);
    found.calibration = calibrate(cases);
    for (auto& c : cases) c.probability = found.calibration(c.probability);
    found.rehearsed_error = calibration_error(cases);
    for (const double p : wrong_chances(judgement.noisy, task.noisy.labels, found.noise)) {
      found.wrong.push_back(found.calibration(p));
    }
    found.predicted = most_probable(posterior(judgement.noisy, task.noisy.labels, found.noise));
    found.weights = known_[i].bilevel.front().weights;
    describe(found, task, options_);
    found.inspection =
        inspect(task, {judgement.noisy, found.predicted, found.wrong}, seed(i, "inspection"), options_.threads);
    cleaned_.findings.push_back(std::move(found));
  }

  Jobs refitting_jobs() {
    Jobs jobs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      jobs.push_back(network_job(
          fmt::format("refitted_{}", i), 2 * steps_for_all(i), [this, i] { return refit(i); }, known_[i].refitted));
    }
    return jobs;
  }

  nets::DenseClassifier refit(std::size_t i) const {
    const auto& found = cleaned_.findings[i];
    const auto lesson = whole_lesson(i, weights_of_given_labels(found.wrong, tasks_[i].noisy.labels, found.noise));
    auto longer = continued(plan(i, lesson, "refitting"));
    longer.steps *= 2;
    return fit_and_select(lesson, known_[i].bilevel.front().network, longer, tasks_[i].held_out, monitor_);
  }

  void measure(std::size_t i) {
    const auto& own = known_[i];
    auto& found = cleaned_.findings[i];
    const auto& given = tasks_[i].noisy.labels;
    const auto& noisy = tasks_[i].noisy.inputs;
    found.ways = {
        way("trusted labels only", "trusted", unlikeliness(class_chances(own.trusted_only[0], noisy), given),
            &own.trusted_only[0], tasks_[i]),
        way("all labels as given", "trusted + noisy", unlikeliness(class_chances(own.all_as_given[0], noisy), given),
            &own.all_as_given[0], tasks_[i]),
        way("out-of-fold confidence", "trusted + noisy", unlikeliness(own.out_of_fold, given), nullptr, tasks_[i]),
        way("moblo clean", "trusted + noisy", found.wrong, &own.refitted[0], tasks_[i])};
    cleaned_.networks.push_back(own.refitted[0]);
  }

  const std::vector<CleanTask>& tasks_;
  const CleanOptions& options_;
  Monitor& monitor_;
  CleanState& state_;
  std::vector<Known> known_;
  Cleaned cleaned_;
};

}  // namespace

Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor, CleanState& state) {
  return Pipeline(tasks, options, monitor, state).run();
}

Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor) {
  CleanState nothing_kept;
  return clean(tasks, options, monitor, nothing_kept);
}

}  // namespace moblo::lab::clean
