#pragma once

#include <stdexcept>
#include <string>

#include "moblo/base/export.hpp"

namespace moblo::base {

/// Whose rule was broken; decides the exit code of the program.
enum class ErrorKind {
  usage,       ///< the command line
  config,      ///< an option or an experiment file
  data,        ///< a data file
  checkpoint,  ///< a run folder or a checkpoint in it
  problem,     ///< a problem that breaks its contract, or a method that does not suit it
  io,          ///< the file system refused
  numeric,     ///< values that are not finite, a direction that could not be certified
  ranks        ///< another process of the run has gone, or has come to other numbers
};

/// Every error says three things: what was given, which rule it breaks, what to do next.
class MOBLO_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& given, const std::string& rule, const std::string& next);

  ErrorKind kind() const { return kind_; }
  /// 2 where the user's input is at fault, 1 where the run failed.
  int exit_code() const;

 private:
  ErrorKind kind_;
};

}  // namespace moblo::base

namespace moblo {

using base::Error;
using base::ErrorKind;

}  // namespace moblo
