#include <fmt/format.h>

#include "lab/report/number_text.hpp"
#include "lab/report/summary_table.hpp"

namespace moblo::lab::report {

RefitTable refit_table(const records::Refit& refit, const ObjectiveNames& names) {
  const bool fresh = refit.from == "fresh";
  RefitTable out;
  out.meaning = fmt::format(
      "The joint model is (alpha, omega) as the run chose them; for the other one omega was trained {}, on the lower "
      "loss alone and with the run's alpha ({} steps, model of step {}): where it is worse, the joint model owes the "
      "difference to its omega, not to alpha.",
      fresh ? "again from its start" : "on from the run's", refit.steps, refit.steps_of_model);
  out.table = {{"", "joint model", "retrained with its alpha"}, {}, {false, true, true}};
  const auto add = [&](const std::string& name, double joint, double alone) {
    out.table.rows.push_back({name, number_text(joint), number_text(alone)});
  };
  for (std::size_t i = 0; i < refit.joint.losses.size() && i < refit.alone.losses.size(); ++i) {
    add(names[i], refit.joint.losses[i], refit.alone.losses[i]);
  }
  add("f", refit.joint.lower_loss, refit.alone.lower_loss);
  for (std::size_t i = 0; i < refit.joint.metrics.size() && i < refit.alone.metrics.size(); ++i) {
    add(refit.joint.metrics[i].first, refit.joint.metrics[i].second, refit.alone.metrics[i].second);
  }
  return out;
}

}  // namespace moblo::lab::report
