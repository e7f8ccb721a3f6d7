#pragma once

#include <memory>
#include <string>

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/method.hpp"

namespace moblo {

/// A method of the catalogue with its resolved options.
std::unique_ptr<Method> make_method(const std::string& name, const Json& options);

}  // namespace moblo
