#include "moblo/gradients/gradient_counts.hpp"

namespace moblo::gradients {

GradientCounts& gradient_counts() {
  thread_local GradientCounts counts;
  return counts;
}

}  // namespace moblo::gradients
