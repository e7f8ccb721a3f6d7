#include "moblo/methods/registry.hpp"

#include "moblo/methods/autolambda.hpp"
#include "moblo/methods/bome.hpp"
#include "moblo/methods/bvfim.hpp"
#include "moblo/methods/forum.hpp"
#include "moblo/methods/moco.hpp"
#include "moblo/methods/moml.hpp"
#include "moblo/methods/nsga2.hpp"
#include "moblo/methods/single_level.hpp"
#include "moblo/methods/tpe.hpp"

namespace moblo {

std::unique_ptr<Method> make_method(const std::string& name, const Json& options) {
#define MOBLO_METHOD(entry) \
  if (name == #entry) return make_##entry(options);
#include "moblo/methods/catalogue.def"
#undef MOBLO_METHOD
  find_method(name, "make_method");
  return make_single_level(name, options);
}

}  // namespace moblo
