#include "moblo/training/folder_observer.hpp"

#include "moblo/base/error.hpp"
#include "moblo/problem/judges_samples.hpp"
#include "moblo/training/state.hpp"

namespace moblo::training {
namespace {

constexpr double seconds_between_flushes = 0.5;

/// A disk that is full for one file may have room for the next.
template <class Write>
void attempt(const Write& write) {
  try {
    write();
  } catch (const Error&) {
  }
}

}  // namespace

Json describe_shape(const gradients::ProblemShape& shape, const BilevelProblem& problem) {
  Json out{{"m", shape.m}, {"n", shape.n}, {"p", shape.p}};
  if (!problem.objective_names().empty()) out["objectives"] = shape.objectives;
  return out;
}

void FolderObserver::stepped(const StepRecord& record, const StepTiming& timing) {
  folder_.append(record);
  folder_.append(timing);
  if (since_flush_.seconds() < seconds_between_flushes) return;
  folder_.flush();
  since_flush_ = {};
}

void FolderObserver::write_samples() {
  auto* judge = dynamic_cast<JudgesSamples*>(&problem_);
  if (judge) records::write_sample_outcomes(folder_.path(), judge->sample_outcomes());
}

void FolderObserver::saved(std::int64_t next_k, const Snapshot& state) {
  records::TensorFile file = to_file(state);
  file.state["fingerprint"] = fingerprint_;
  folder_.save_checkpoint(next_k, file);
}

void FolderObserver::selected(const Snapshot& model) {
  folder_.save_selected_model(to_file(model));
}

void FolderObserver::ended(const Summary& summary) {
  if (summary.status == RunStatus::failed) {
    attempt([&] { folder_.flush(); });
    attempt([&] { folder_.save_model(model_file(problem_)); });
    attempt([&] { folder_.save_summary(summary); });
    return;
  }
  folder_.flush();
  folder_.save_model(model_file(problem_));
  write_samples();
  folder_.save_summary(summary);
}

}  // namespace moblo::training
