#include "moblo/base/error.hpp"

namespace moblo::base {
namespace {

std::string sentence(const std::string& text) {
  const bool ends = text.ends_with('?') || text.ends_with('.');
  return ends ? text : text + ".";
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& given, const std::string& rule, const std::string& next)
    : std::runtime_error(given + ": " + sentence(rule) + (next.empty() ? "" : " " + sentence(next))), kind_(kind) {}

int Error::exit_code() const {
  const bool failed = kind_ == ErrorKind::io || kind_ == ErrorKind::numeric || kind_ == ErrorKind::ranks;
  return failed ? 1 : 2;
}

}  // namespace moblo::base
