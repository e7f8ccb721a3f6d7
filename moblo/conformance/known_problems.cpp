#include "moblo/conformance/known_problems.hpp"

#include "moblo/conformance/double_well.hpp"
#include "moblo/conformance/front_fonseca.hpp"
#include "moblo/conformance/front_octant.hpp"
#include "moblo/conformance/front_quadratic.hpp"
#include "moblo/conformance/quadratic.hpp"
#include "moblo/conformance/synthetic.hpp"

namespace moblo::conformance {

const std::vector<ProblemInfo>& known_problems() {
  static const std::vector<ProblemInfo> all{synthetic_info(),       quadratic_info(),     double_well_info(),
                                            front_quadratic_info(), front_fonseca_info(), front_octant_info()};
  return all;
}

}  // namespace moblo::conformance
