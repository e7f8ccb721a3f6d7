#pragma once

#include <string>

#include "moblo/base/rng.hpp"

namespace moblo::system_test {

/// Two classes on either side of a line; the first `trusted` rows are trusted, every third of the others is wrong.
inline std::string made_table(int rows, int trusted, bool with_marks) {
  std::string text = with_marks ? "id,x,y,label,trusted\n" : "id,x,y,label\n";
  Rng rng(1);
  for (int j = 0; j < rows; ++j) {
    const double x = rng.normal(), y = rng.normal();
    const bool wrong = with_marks && j >= trusted && j % 3 == 0;
    text += "s" + std::to_string(j) + "," + std::to_string(x) + "," + std::to_string(y) + "," +
            ((x + y > 0) != wrong ? "above" : "below");
    if (with_marks) text += j < trusted ? ",1" : ",0";
    text += "\n";
  }
  return text;
}

}  // namespace moblo::system_test
