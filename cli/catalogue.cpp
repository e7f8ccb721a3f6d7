#include "cli/catalogue.hpp"

#include <fstream>

#include "lab/config/install_tree.hpp"
#include "moblo/base/error.hpp"

namespace moblo::cli {

Json read_catalogue() {
  const auto file = lab::config::find_beside_program("catalogue.json");
  std::ifstream stream(file);
  const auto catalogue = Json::parse(stream, nullptr, false);
  if (catalogue.is_object()) return catalogue;
  throw Error(ErrorKind::io, file.empty() ? "catalogue.json" : file.string(), "is missing or damaged",
              "Build or install moblo again");
}

}  // namespace moblo::cli
