#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"
#include "moblo/base/options.hpp"

namespace moblo::lab::config {

/// An experiment file as JSON, with the place each value came from, so that an error can point at it.
class Config : public base::ValueSource {
 public:
  Config() : values(Json::object()) {}
  Config(Json content, std::string name) : values(std::move(content)), name_(std::move(name)) {}

  static Config from_file(const std::filesystem::path& file);
  static Config from_text(const std::string& toml, const std::string& name);

  /// `forum.rho=0.3`: the value is TOML; a bare word is a string. Later ones win.
  void set(const std::string& assignment);
  void set(const std::string& dotted_key, const Json& value, const std::string& place);

  /// "synthetic.toml:12" or "--set forum.rho=..."; the file name where the key is not known.
  std::string place(const std::string& dotted_key) const override;

  /// What stands in the file for a key of its top level, whatever was set over it; null for nothing.
  Json in_file(const std::string& key) const;

  Json values;

 private:
  std::string name_ = "defaults";
  std::map<std::string, std::string> places_;
  std::map<std::string, Json> set_over_;  ///< of the top level
};

}  // namespace moblo::lab::config
