#include "lab/clean/clean.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "lab/clean/bilevel.hpp"
#include "lab/clean/fit.hpp"
#include "lab/clean/score.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::size_t rounds = 2;

using Jobs = std::vector<std::function<void()>>;

/// Judgements of networks that have not seen the label of what they judge.
struct Round {
  std::vector<std::int64_t> fold;  // of each noisy sample
  ClassChances noisy, held_out;
};

/// What has been learned of one task so far.
struct Known {
  std::vector<BilevelEvidence> bilevel;                                     // one, once it is there
  std::vector<nets::DenseClassifier> trusted_only, all_as_given, refitted;  // one each
  std::vector<Round> rounds;                                                // by networks that know how labels go wrong
  ClassChances out_of_fold;  // by networks that were taught the labels as they are, in the first round's folds
  NoiseModel noise;
};

/// P(right) / P(a right label of that class stays right), scaled to the mean of P(right): the samples of a class whose
/// labels often go wrong must stand for those that went, or the network would hardly expect the class.
std::vector<double> weights_of_given_labels(const std::vector<double>& wrong, const Labels& given,
                                            const NoiseModel& noise) {
  constexpr double rarest = 0.1;
  std::vector<double> weights;
  double right = 0, sum = 0;
  for (std::size_t j = 0; j < given.size(); ++j) {
    weights.push_back((1 - wrong[j]) / std::max(rarest, noise.at(given[j], given[j])));
    right += 1 - wrong[j], sum += weights.back();
  }
  for (auto& weight : weights) weight *= sum > 0 ? right / sum : 1;
  return weights;
}

class Pipeline {
 public:
  Pipeline(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor)
      : tasks_(tasks), options_(options), monitor_(monitor), known_(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      known_[i].out_of_fold = nothing_yet(i, tasks[i].noisy.size());
      for (std::uint64_t round = 0; round < rounds; ++round) {
        known_[i].rounds.push_back(
            {dealt_folds(i, round), nothing_yet(i, tasks[i].noisy.size()), nothing_yet(i, tasks[i].held_out.size())});
      }
    }
    expect_steps();
  }

  Cleaned run() {
    monitor_.enter("bi-level weights and baselines");
    run_jobs(first_jobs(), options_.threads);
    for (std::size_t i = 0; i < tasks_.size(); ++i) estimate_noise_first(i);
    monitor_.enter("cross-fitting");
    run_jobs(judging_jobs(0), options_.threads);
    for (std::size_t i = 0; i < tasks_.size(); ++i) known_[i].noise = judged(i, 1).noise;
    monitor_.enter("cross-fitting again");
    run_jobs(judging_jobs(1), options_.threads);
    for (std::size_t i = 0; i < tasks_.size(); ++i) conclude(i);
    monitor_.enter("refitting");
    run_jobs(refitting_jobs(), options_.threads);
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

  void expect_steps() {
    monitor_.expect(options_.bilevel_iterations * static_cast<std::int64_t>(groups_of_one_width(tasks_).size()));
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto trusted = tasks_[i].trusted.size(), noisy = tasks_[i].noisy.size();
      const auto steps = [&](std::int64_t samples) { return fit_plan(options_, tasks_[i], samples, 0).steps; };
      monitor_.expect(steps(trusted) + 3 * steps(trusted + noisy));
      for (std::int64_t k = 0; k < options_.folds; ++k) {
        const auto own = std::count(known_[i].rounds[0].fold.begin(), known_[i].rounds[0].fold.end(), k);
        monitor_.expect((1 + static_cast<std::int64_t>(rounds)) * steps(trusted + noisy - own));
      }
    }
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
    for (const auto& group : groups_of_one_width(tasks_)) {
      jobs.emplace_back([this, group] {
        std::vector<const CleanTask*> members;
        for (const auto i : group) members.push_back(&tasks_[i]);
        auto evidence = learn_weights(members, options_, monitor_);
        for (std::size_t g = 0; g < group.size(); ++g) known_[group[g]].bilevel.push_back(std::move(evidence[g]));
      });
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (std::int64_t k = 0; k < options_.folds; ++k) jobs.emplace_back([this, i, k] { judge_as_given(i, k); });
      jobs.emplace_back([this, i] { learn_all_as_given(i); });
      jobs.emplace_back([this, i] { learn_trusted_only(i); });
    }
    return jobs;
  }

  void judge_as_given(std::size_t i, std::int64_t k) {
    const auto index = static_cast<std::uint64_t>(k);
    const auto lesson = lesson_without(i, known_[i].rounds[0].fold, k, one_hot(tasks_[i].noisy.labels, classes(i)));
    const auto network =
        fit(lesson, fresh(i, "start out of fold", index), plan(i, lesson, "out of fold", index), monitor_);
    judge_fold(network, tasks_[i].noisy.inputs, known_[i].rounds[0].fold, k, known_[i].out_of_fold);
  }

  void learn_trusted_only(std::size_t i) {
    const auto lesson = trusted_lesson(i);
    known_[i].trusted_only.push_back(fit_and_select(lesson, fresh(i, "start trusted only"),
                                                    plan(i, lesson, "trusted only"), tasks_[i].held_out, monitor_));
  }

  void learn_all_as_given(std::size_t i) {
    const auto lesson = whole_lesson(i, std::vector<double>(tasks_[i].noisy.labels.size(), 1.0));
    known_[i].all_as_given.push_back(
        fit_and_select(lesson, fresh(i, "start as given"), plan(i, lesson, "as given"), tasks_[i].held_out, monitor_));
  }

  /// The rows of `into` whose fold is k; different folds may be written at the same time.
  static void judge_fold(const nets::DenseClassifier& network, const torch::Tensor& inputs,
                         const std::vector<std::int64_t>& fold, std::int64_t k, ClassChances& into) {
    const auto chances = class_chances(network, inputs);
    for (std::size_t j = 0; j < fold.size(); ++j) {
      if (fold[j] == k) std::copy_n(chances.row(j), chances.classes, into.row(j));
    }
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
        jobs.emplace_back([this, i, round, k] { judge(i, round, k); });
      }
    }
    return jobs;
  }

  /// The first round goes on from the bi-level network, the second starts over: their errors differ, their mean has
  /// less.
  void judge(std::size_t i, std::size_t round, std::int64_t k) {
    auto& own = known_[i].rounds[round];
    const auto index = static_cast<std::uint64_t>(options_.folds) * round + static_cast<std::uint64_t>(k);
    const auto lesson = lesson_without(i, own.fold, k, label_likelihood(tasks_[i].noisy.labels, known_[i].noise));
    const auto from_nothing = plan(i, lesson, "judging", index);
    const auto network = round == 0 ? fit(lesson, known_[i].bilevel.front().network, continued(from_nothing), monitor_)
                                    : fit(lesson, fresh(i, "start judging", index), from_nothing, monitor_);
    judge_fold(network, tasks_[i].noisy.inputs, own.fold, k, own.noisy);
    judge_fold(network, tasks_[i].held_out.inputs, held_out_folds(i), k, own.held_out);
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
    cleaned_.findings.push_back(std::move(found));
  }

  Jobs refitting_jobs() {
    Jobs jobs;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      jobs.emplace_back([this, i] {
        const auto& found = cleaned_.findings[i];
        const auto lesson = whole_lesson(i, weights_of_given_labels(found.wrong, tasks_[i].noisy.labels, found.noise));
        auto longer = continued(plan(i, lesson, "refitting"));
        longer.steps *= 2;
        known_[i].refitted.push_back(
            fit_and_select(lesson, known_[i].bilevel.front().network, longer, tasks_[i].held_out, monitor_));
      });
    }
    return jobs;
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
  std::vector<Known> known_;
  Cleaned cleaned_;
};

}  // namespace

Cleaned clean(const std::vector<CleanTask>& tasks, const CleanOptions& options, Monitor& monitor) {
  return Pipeline(tasks, options, monitor).run();
}

}  // namespace moblo::lab::clean
