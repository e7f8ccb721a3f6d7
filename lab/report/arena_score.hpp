#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/arena_record.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::lab::report {

/// offset + sum of weight * quantity; lower is better. A quantity is "distance" (of z to the solution set), "losses[i]"
/// (F_i, the mean over batches that a refit takes of both models) or a metric of the problem.
struct ArenaScore {
  double offset = 0;
  std::map<std::string, double> weights;

  std::string text() const;
};

enum class ArenaModel { joint, refit };

/// Empty where the run ended badly, or does not know a quantity, or where the sum is not finite.
std::optional<double> score_of(const records::RunRecord& run, const ArenaScore& score, ArenaModel model);

/// Error(config) where a run that ended well does not know a quantity of the score of `problem`'s joint models.
void refuse_unknown_quantities(const records::RunRecord& run, const ArenaScore& score, const std::string& problem);

/// The best score so far whenever it improves, and at the end, against the gradients used by then. Losses of batches
/// are averaged over a fiftieth of the run first, or the best would be the luckiest batch.
std::vector<ArenaRecord::Progress> progress_of(const records::RunRecord& run, const ArenaScore& score);

/// All that a trial tells of its run.
ArenaRecord::Trial trial_of(const records::RunRecord& run, const ArenaScore& joint, const ArenaScore& refit);

}  // namespace moblo::lab::report
