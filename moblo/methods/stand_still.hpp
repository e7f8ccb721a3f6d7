#pragma once

#include "moblo/methods/method.hpp"

namespace moblo {

/// Lets a method evaluate a point without moving it.
class StandStill : public Updater {
 public:
  void update_upper(const torch::Tensor&) override {}
  void update_lower(const torch::Tensor&) override {}
  void replace_lower(const torch::Tensor&) override {}
};

}  // namespace moblo
