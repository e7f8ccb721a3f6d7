#include <fmt/format.h>

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/base/error.hpp"

namespace moblo::aggregation {
namespace {

enum class Form { log, loss };

constexpr auto enum_names(Form) {
  return std::array{std::pair{"log", Form::log}, std::pair{"loss", Form::loss}};
}

/// STCH, a smooth maximum, in two forms.
///   log:  m mu log sum_i exp(p_i log(L_i / z_i) / mu), whose derivative by L_i is m p_i softmax(..)_i / L_i. The nadir
///         z is the mean loss of the epoch after the warm-up; until it is known the loss is sum_i log L_i.
///   loss: mu log sum_i exp(p_i (L_i - z*_i) / mu), z* the ideal losses; its derivative is p_i softmax(..)_i.
class SmoothTchebycheff : public Weighting {
 public:
  struct Options {
    Form form = Form::log;
    double mu = 1;
    std::int64_t warmup_epochs = 4;
    std::vector<double> nadir, ideal, preference;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add(
            "form", &Options::form,
            "log: of the losses relative to a nadir, as released for many tasks; loss: of the losses themselves, as in "
            "the paper");
        t.add("mu", &Options::mu, "smoothing; towards 0 only the worst task counts", above(0));
        t.add("warmup_epochs", &Options::warmup_epochs, "epochs on the log losses before the one that gives the nadir",
              at_least(0));
        t.add("nadir", &Options::nadir, "z, one number per task: no warm-up then; empty: measured", above(0));
        t.add("ideal", &Options::ideal, "z*, the lowest losses, one per task, for the form loss; empty: 0 each");
        t.add("preference", &Options::preference,
              "p, one number per task; empty: 1 each in the form log, 1/m each in the form loss", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit SmoothTchebycheff(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.gramian = false, .losses = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    refuse_of_other_form();
    const double equal = options_.form == Form::log ? 1 : 1 / static_cast<double>(tasks);
    preference_ = numbers_by_task(name, "preference", options_.preference, tasks, equal);
    nadir_ = numbers_by_task(name, "nadir", options_.nadir, tasks, 0);
    ideal_ = numbers_by_task(name, "ideal", options_.ideal, tasks, 0);
    sum_.setZero(tasks);
    steps_ = 0;
  }

  TaskWeights weigh(const TaskStep& step) override {
    return options_.form == Form::log ? by_logs(step) : by_losses(step.losses);
  }

  WeightingState save() const override {
    return {.values = {{"sum", saved_vector(sum_)}, {"steps", steps_}}, .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    sum_ = restored_vector(state.values.at("sum"), tasks_);
    steps_ = state.values.at("steps");
  }

 private:
  static constexpr const char* name = "STCH";
  static constexpr double loss_floor = 1e-20;

  void refuse_of_other_form() const {
    const bool log = options_.form == Form::log;
    if (log ? options_.ideal.empty() : options_.nadir.empty()) return;
    throw Error(ErrorKind::config,
                fmt::format("STCH: {} in the form \"{}\"", log ? "ideal" : "nadir", log ? "log" : "loss"),
                fmt::format("belongs to the form \"{}\"", log ? "loss" : "log"),
                log ? "Give nadir, or form = \"loss\"" : "Give ideal, or form = \"log\"");
  }

  TaskWeights by_losses(const Eigen::VectorXd& losses) const {
    refuse_unless_finite_losses(name, losses);
    const Eigen::VectorXd above = preference_.cwiseProduct(losses - ideal_);
    const Eigen::VectorXd share = softmax((above.array() - above.maxCoeff()) / options_.mu);  // any mu: never inf - inf
    return loss_weights(preference_.cwiseProduct(share));
  }

  TaskWeights by_logs(const TaskStep& step) {
    refuse_unless_losses(name, step.losses, LossBound::non_negative);
    const Eigen::ArrayXd losses = step.losses.array() + loss_floor;
    const std::int64_t epoch = step.k / step.epoch_length;
    if (options_.nadir.empty() && epoch <= options_.warmup_epochs) {
      if (epoch == options_.warmup_epochs) {
        sum_ += losses.matrix();
        ++steps_;
      }
      return loss_weights(losses.inverse());
    }
    const Eigen::ArrayXd share = softmax(preference_.array() * (losses / nadir()).log() / options_.mu);
    return loss_weights(static_cast<double>(tasks_) * preference_.array() * share / losses);
  }

  Eigen::ArrayXd nadir() const {
    if (!options_.nadir.empty()) return nadir_;
    if (steps_ > 0) return sum_.array() / static_cast<double>(steps_);
    throw Error(ErrorKind::problem, "STCH: an epoch after the warm-up, without a nadir",
                fmt::format("the nadir is the mean loss of epoch {}", options_.warmup_epochs), "Give nadir");
  }

  Options options_;
  Eigen::VectorXd preference_, nadir_, ideal_;
  Eigen::VectorXd sum_;  // of the losses in the epoch of the nadir
  std::int64_t steps_ = 0;
};

}  // namespace

WeightingInfo stch_weighting() {
  return make_weighting_info<SmoothTchebycheff>("stch",
                                                "a smooth maximum of the losses, relative to a nadir or as they are",
                                                "Lin et al.: Smooth Tchebycheff Scalarization for Multi-Objective "
                                                "Optimization, ICML 2024");
}

}  // namespace moblo::aggregation
