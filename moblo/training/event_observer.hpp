#pragma once

#include <filesystem>
#include <optional>

#include "moblo/base/clock.hpp"
#include "moblo/records/event_file.hpp"
#include "moblo/training/training.hpp"

namespace moblo::training {

/// Writes what it sees into an event file of TensorBoard: the scalars of the records under the names of a report, and
/// the pictures of the most suspicious samples, which the observer of the folder has left there before.
/// Where they cannot be written, the events end and the run goes on: its records are what counts.
class EventObserver : public RunObserver {
 public:
  explicit EventObserver(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void started(const gradients::ProblemShape& shape, std::int64_t first_k, std::int64_t iterations) override;
  void stepped(const StepRecord& record, const StepTiming& timing) override;
  void evaluated(const Evaluation& evaluation) override;
  void ended(const Summary& summary) override;

 private:
  template <class Write>
  void attempt(const Write& write);

  std::filesystem::path folder_;
  std::optional<records::EventFile> file_;
  base::Stopwatch since_flush_;
};

/// The scalars of one iteration by tag: "losses/F1", "weights/1", "multiplier/nu", ...
records::Scalars scalars_of(const StepRecord& record, const StepTiming& timing);

}  // namespace moblo::training

namespace moblo {

using training::EventObserver;

}  // namespace moblo
