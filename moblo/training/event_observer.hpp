#pragma once

#include <filesystem>
#include <optional>

#include "moblo/base/clock.hpp"
#include "moblo/record/event_file.hpp"
#include "moblo/training/training.hpp"

namespace moblo {

/// Writes what it sees into an event file of TensorBoard: the scalars of the records under the names of a report, and
/// the pictures of the most suspicious samples, which the observer of the folder has left there before.
/// Where they cannot be written, the events end and the run goes on: its records are what counts.
class EventObserver : public RunObserver {
 public:
  explicit EventObserver(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void started(const ProblemShape& shape, std::int64_t first_k, std::int64_t iterations) override;
  void stepped(const StepRecord& record, const StepTiming& timing) override;
  void evaluated(const Evaluation& evaluation) override;
  void ended(const Summary& summary) override;

 private:
  template <class Write>
  void attempt(const Write& write);

  std::filesystem::path folder_;
  std::optional<EventFile> file_;
  Stopwatch since_flush_;
};

/// The scalars of one iteration by tag: "losses/F1", "weights/1", "multiplier/nu", ...
Scalars scalars_of(const StepRecord& record, const StepTiming& timing);

}  // namespace moblo
