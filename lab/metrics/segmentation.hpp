#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace moblo::lab::metrics {

/// How often a pixel of each class was taken for each class, over all that was added. Pixels whose true class is
/// negative are void: they count nowhere, whatever was predicted for them.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int classes);

  /// Error(data) where the lengths differ, or a class is none of the matrix's.
  void add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);

  std::int64_t count(int truth, int predicted) const;
  std::int64_t pixels() const;
  /// Mean over the classes that occur (truly or as predictions) of hits / (true + predicted - hits).
  double mean_iou() const;
  /// Share of all pixels that are right; not the mean over classes.
  double pixel_accuracy() const;

 private:
  std::size_t classes_;
  std::vector<std::int64_t> counts_;  ///< a row a true class
};

}  // namespace moblo::lab::metrics
