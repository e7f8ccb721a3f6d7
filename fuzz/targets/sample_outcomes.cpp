#include "moblo/records/sample_outcomes.hpp"

#include "fuzz/target.hpp"

// The table of a run's samples.
MOBLO_FUZZ_TARGET(sample_outcomes) {
  using namespace moblo;
  static fuzz::ScratchFile file("outcomes/sample_weights.csv");
  file.write(input);
  fuzz::accepts([&] {
    for (const auto& outcomes : records::read_sample_outcomes(file.path().parent_path())) {
      const std::size_t count = outcomes.weights.size();
      fuzz::must(outcomes.given.size() == count && outcomes.predicted.size() == count, "columns are equally long");
      fuzz::must(outcomes.wrong.empty() || outcomes.wrong.size() == count, "wrong is known of all or none");
      for (const double weight : outcomes.weights) fuzz::must(weight >= 0 && weight <= 1, "weights are in [0, 1]");
    }
  });
}
