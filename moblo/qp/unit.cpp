#include "moblo/qp/unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/qp/problem.hpp"

namespace moblo::qp {

int unit_exponent(const Eigen::Ref<const Eigen::MatrixXd>& gramian, int ordinary) {
  int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (row_length(gramian, i) == 0) continue;
    const int exponent = std::ilogb(gramian(i, i));
    low = std::min(low, exponent);
    high = std::max(high, exponent);
  }
  const bool all_ordinary = -ordinary <= low && high <= ordinary;  // also where all rows are zero
  return all_ordinary ? 0 : (low + high) / 4;
}

}  // namespace moblo::qp
