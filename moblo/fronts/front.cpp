#include "moblo/fronts/front.hpp"

#include <fmt/format.h>

#include <optional>

#include "moblo/base/error.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/records/existing_run.hpp"
#include "moblo/records/folder_lock.hpp"
#include "moblo/training/run.hpp"

namespace moblo::fronts {
namespace {

std::shared_ptr<BilevelProblem> made(const ProblemFactory& make_problem) {
  auto problem = make_problem ? make_problem() : nullptr;
  if (problem) return problem;
  throw Error(ErrorKind::usage, "front()", "the factory of problems made none", "Return a problem");
}

std::unique_ptr<Method> made(const MethodFactory& make_method, const PointTarget& target) {
  auto method = make_method ? make_method(target) : nullptr;
  if (method) return method;
  throw Error(ErrorKind::usage, "front()", "the factory of methods made none", "Return a method");
}

/// The state at the end of a run, for those that begin there.
class LastState : public RunObserver {
 public:
  void saved(std::int64_t, const Snapshot& state) override { state_ = state; }
  /// Without what a warm start does not take: moments of optimisers, the best model so far.
  Snapshot take() {
    std::erase_if(state_.tensors, [](const auto& entry) {
      const std::string& name = entry.first;
      return !name.starts_with("alpha/") && !name.starts_with("omega/") && !name.starts_with("method/");
    });
    return std::move(state_);
  }

 private:
  Snapshot state_;
};

class Runner {
 public:
  Runner(const ProblemFactory& make_problem, const MethodFactory& make_method, const FrontOptions& options,
         const TrainingOptions& training, const FrontControl& control)
      : make_problem_(make_problem),
        make_method_(make_method),
        training_(training),
        control_(control),
        options_(options),
        planner_(options, gradients::check_contract(*made(make_problem)).objectives) {
    if (control.run.resume || control.run.warm_start) {
      throw Error(ErrorKind::usage, "FrontControl::run", "a front makes the starts of its points itself",
                  "Leave out resume and warm_start");
    }
    if (control.folder.empty()) return;
    records::refuse_other_set(control.folder, records::SetOfRuns::front);
    lock_.emplace(control.folder);
  }

  Front run() {
    std::string why;
    while (why.empty()) {
      const auto wave = planner_.next();
      if (wave.empty()) why = planner_.stopped_because();
      for (std::size_t i = 0; i < wave.size() && why.empty(); ++i) {
        run_point(wave[i]);
        why = reason_to_stop(wave[i].index);
        take_record("running");
        if (control_.point_ended) control_.point_ended(front_.record, front_.summaries.back());
      }
    }
    take_record(why);
    return std::move(front_);
  }

 private:
  bool asked_to_stop() const { return control_.run.stop_requested && *control_.run.stop_requested; }

  std::string reason_to_stop(std::size_t index) const {
    const Summary& last = front_.summaries.back();
    if (last.status == RunStatus::interrupted || asked_to_stop()) return "interrupted";
    if (last.status == RunStatus::failed) return fmt::format("point {} failed: {}", index, last.message);
    return "";
  }

  void run_point(const PlannedPoint& point) {
    const auto problem = made(make_problem_);
    const auto method = made(make_method_, point.target);
    method_name_ = method->name();
    TrainingOptions training = training_;
    training.iterations = options_.iterations_of(point.start.has_value(), training_.iterations);
    LastState end;
    RunControl run = control_.run;
    run.observers.push_back(&end);
    std::optional<WarmStart> start;
    if (point.start) {
      start.emplace(WarmStart{ends_[*point.start], {{"run", name_of_point(*point.start)}}});
      run.warm_start = &*start;
    }
    const auto summary = control_.folder.empty() ? train(*problem, *method, training, run)
                                                 : train_in_folder(control_.folder / folder_of_point(point.index),
                                                                   *problem, *method, training, run);
    planner_.ended(point.index, summary);
    front_.summaries.push_back(summary);
    front_.problems.push_back(problem);
    ends_.push_back(end.take());
  }

  void take_record(const std::string& stopped_because) {
    auto& record = front_.record;
    record = planner_.record(stopped_because);
    record.title = fmt::format("Front by {}", method_name_);
    record.method = method_name_;
    if (control_.folder.empty()) return;
    for (std::size_t i = 0; i < front_.summaries.size(); ++i) {
      record.points[i].run = folder_of_point(i);
      record.points[i].model = fmt::format("{}/model.safetensors", folder_of_point(i));
    }
    records::write_front(control_.folder, record);
  }

  const ProblemFactory& make_problem_;
  const MethodFactory& make_method_;
  const TrainingOptions& training_;
  const FrontControl& control_;
  FrontOptions options_;
  FrontPlanner planner_;
  std::optional<records::FolderLock> lock_;
  std::string method_name_;
  std::vector<Snapshot> ends_;
  Front front_;
};

}  // namespace

Front front(const ProblemFactory& make_problem, const MethodFactory& make_method, const FrontOptions& options,
            const TrainingOptions& training, const FrontControl& control) {
  const auto checked = TrainingOptions::table().checked(training, {});
  return Runner(make_problem, make_method, options, checked, control).run();
}

}  // namespace moblo::fronts
