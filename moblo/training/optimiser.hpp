#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "moblo/methods/method.hpp"
#include "moblo/problem/problem.hpp"
#include "moblo/problem/snapshot.hpp"
#include "moblo/training/training_options.hpp"

namespace moblo::training {

/// SGD, momentum or Adam on one tensor, as torch.optim defines them, in few passes over its memory.
class Optimiser {
 public:
  Optimiser(const OptimiserOptions& options, std::string name) : options_(options), name_(std::move(name)) {}

  /// z += the step along `direction` (= minus a gradient). `rate` is the schedule's factor.
  void update(torch::Tensor values, const torch::Tensor& direction, double rate);
  /// The same for some rows of a table. Moments move only where a row is touched, as in sparse Adam.
  void update_rows(torch::Tensor table, const torch::Tensor& rows, const torch::Tensor& direction, double rate);

  void save(Snapshot& to) const;
  /// `like`: what it moves.
  void restore(const Snapshot& from, const torch::Tensor& like);

  /// Of both dense and per-sample variables of a level.
  torch::Tensor clipped(const torch::Tensor& direction) const;

  /// The model of iteration k was evaluated: for the schedule that waits for better ones.
  void evaluated(std::int64_t k, bool better);
  /// The schedule's factor.
  double rate(std::int64_t k, std::int64_t iterations) const {
    return options_.schedule.at(k, iterations, plateau_.drops);
  }

  /// Keeps what the next update will change, for roll_back.
  void remember();
  void roll_back();

 private:
  struct Plateau {
    std::int64_t drops = 0, stale = 0;  // evaluations since the last better model or drop
    std::int64_t last_k = -1;           // a resumed run evaluates its first model once more
  };

  torch::Tensor step(const torch::Tensor& values, const torch::Tensor& direction, double rate, torch::Tensor& first,
                     torch::Tensor& second) const;
  void make_moments(const torch::Tensor& like);

  OptimiserOptions options_;
  std::string name_;
  std::int64_t count_ = 0;
  Plateau plateau_;
  torch::Tensor first_, second_;  // momentum or first moment; second moment
  std::int64_t old_count_ = 0;
  torch::Tensor old_first_, old_second_;
  torch::Tensor touched_rows_;  // defined after update_rows: old_first_ and old_second_ are of these rows only
};

/// The optimisers of both levels, behind the interface that methods see. Remembers the iterate before the last update,
/// so that a step that led to values that are not finite can be taken back.
class Optimisers : public Updater {
 public:
  Optimisers(const OptimiserPair& options, BilevelProblem& problem, std::int64_t iterations);

  /// Before the step of iteration k.
  void begin(std::int64_t k);
  void evaluated(std::int64_t k, bool better);
  void update_upper(const torch::Tensor& direction) override;
  void update_lower(const torch::Tensor& direction) override;
  void replace_lower(const torch::Tensor& values) override;
  /// Undoes the updates of the last step that made any.
  void roll_back();
  /// Undoes the updates of a step that was begun and not completed, if it made any.
  void undo_begun();

  void save(Snapshot& to);
  void restore(const Snapshot& from);

 private:
  /// The optimisers of one level: of its dense variables, and one for each table of rows.
  struct Level {
    Level(const OptimiserOptions& options, const std::string& name, const std::string& prefix, ParameterPack& pack);
    Optimiser dense;
    std::vector<Optimiser> tables;
  };
  struct TouchedRows {
    torch::Tensor table, rows, old_values;
  };

  std::vector<Optimiser*> all();
  void update(ParameterPack& pack, Level& level, const torch::Tensor& whole);
  void remember_once();
  void remember_rows(const torch::Tensor& table, const torch::Tensor& rows);

  BilevelProblem& problem_;
  std::int64_t iterations_, k_ = 0;
  bool remembered_ = false;  // within this step
  Level alpha_, omega_;
  torch::Tensor old_alpha_, old_omega_;
  std::vector<TouchedRows> touched_;
};

}  // namespace moblo::training
