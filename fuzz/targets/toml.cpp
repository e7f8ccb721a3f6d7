#include "fuzz/target.hpp"
#include "lab/config/config.hpp"

// An experiment file, and after next_file the value of a --set.
MOBLO_FUZZ_TARGET(toml) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const std::string text(fuzz::text_of(taker.until(fuzz::next_file)));
  lab::config::Config config;
  fuzz::accepts([&] { config = lab::config::Config::from_text(text, "fuzz.toml"); });
  fuzz::must(config.values.is_object(), "a configuration is an object");
  while (!taker.empty()) {
    const std::string assignment(fuzz::text_of(taker.until(fuzz::next_file)));
    if (!fuzz::accepts([&] { config.set(assignment); })) continue;
    const std::string key = assignment.substr(0, assignment.find('='));
    fuzz::must(!config.place(key).empty(), "what was set has a place");
  }
  config.values.dump(-1, ' ', false, Json::error_handler_t::replace);
}
