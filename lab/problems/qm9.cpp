#include "lab/data/dataset_store.hpp"
#include "lab/nets/molecules.hpp"
#include "lab/nets/mpnn.hpp"
#include "lab/problems/task_problems.hpp"
#include "lab/problems/task_scores.hpp"
#include "lab/problems/to_tensors.hpp"
#include "lab/readers/molecules.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

TensorDataset to_tensors(const readers::Molecules& molecules, const readers::Standardisation& standard) {
  const std::int64_t n = molecules.count, a = molecules.most_atoms;
  auto targets = molecules.targets;
  standard.apply(targets);
  return {nets::pack({.num_atoms = to_tensor(molecules.num_atoms, {n}),
                      .nodes = to_tensor(molecules.node_features, {n, a, readers::Molecules::features}),
                      .positions = to_tensor(molecules.positions, {n, a, 3}),
                      .bonds = to_tensor(molecules.bonds, {n, a, a})}),
          to_tensor(targets, {n, readers::Molecules::properties})};
}

}  // namespace

std::unique_ptr<BilevelProblem> make_qm9(const Json& resolved, std::uint64_t seed) {
  const auto options = read_options<Qm9Options>(resolved);
  std::vector<std::string> notes;
  const auto all = readers::read_molecules(data::require_dataset(data::find_dataset("qm9"), options.data), notes);
  const auto split = readers::split_molecules(all, options.train, options.validation, derive_seed(seed, "split"));
  const auto training = readers::chosen_molecules(all, split.train);
  const auto standard = readers::standardisation_of(training.targets, readers::Molecules::properties);
  const auto held_out = to_tensors(readers::chosen_molecules(all, split.validation), standard);
  MultitaskData data{.train = {to_tensors(training, standard)},
                     .validation = {held_out},
                     .select = {held_out},
                     .test = {to_tensors(readers::chosen_molecules(all, split.test), standard)},
                     .provenance = all.provenance};
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < readers::molecule_properties().size(); ++i) {
    tasks.push_back(
        regression_task(readers::molecule_properties()[i].name, static_cast<std::int64_t>(i), standard.deviation[i]));
  }
  const auto network = [&](const std::vector<std::size_t>& chosen, std::uint64_t own_seed) {
    Rng rng(own_seed);
    return nets::make_mpnn({.tasks = static_cast<std::int64_t>(chosen.size()),
                            .hidden = options.hidden,
                            .edge_hidden = options.edge_hidden,
                            .passes = options.passes,
                            .readout_steps = options.readout_steps},
                           rng);
  };
  return std::make_unique<Multitask>(std::move(tasks), std::move(data), network, options, seed);
}

}  // namespace moblo::lab::problems
