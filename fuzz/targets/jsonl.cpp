#include "fuzz/target.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/line_scanner.hpp"
#include "moblo/records/records.hpp"

namespace moblo::fuzz {
namespace {

/// The fast reader and the JSON reader agree wherever both accept a line.
void compare_line_readers(std::string_view line) {
  const Json json = base::parse_json(line);
  if (json.is_discarded()) return;
  if (const auto scanned = records::scan_step(line)) {
    std::string read;
    accepts([&] { read = to_json(records::step_record(json)).dump(); });
    must(read == to_json(*scanned).dump(), "a step record reads the same both ways");
  }
  if (const auto scanned = records::scan_timing(line)) {
    std::string read;
    accepts([&] { read = records::dump_json(to_json(records::step_timing(json))); });
    // of a name that comes twice the object has one
    const bool twice = scanned->seconds.size() != json["seconds"].size();
    must(twice || read == records::dump_json(to_json(*scanned)), "a timing reads the same both ways");
  }
}

std::int64_t count_steps(const std::filesystem::path& file) {
  std::int64_t steps = 0;
  const auto scan = [&](std::string_view line) { return records::scan_step(line) ? ++steps > 0 : false; };
  records::read_lines(file, scan, [&](const Json& json) { records::step_record(json), ++steps; });
  return steps;
}

}  // namespace
}  // namespace moblo::fuzz

// A file of records, its first byte the iteration to cut at.
MOBLO_FUZZ_TARGET(jsonl) {
  using namespace moblo;
  static fuzz::ScratchFile file("steps.jsonl");
  fuzz::Taker taker(input);
  const std::int64_t next_k = taker.take<std::int8_t>();
  const std::string_view text = fuzz::text_of(taker.rest());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fuzz::compare_line_readers(text.substr(begin, end - begin));
    begin = end + 1;
  }
  file.write(text);
  std::int64_t before = 0, after = 0;
  const bool whole = fuzz::accepts([&] { before = fuzz::count_steps(file.path()); });
  if (!fuzz::accepts([&] { records::cut_lines(file.path(), next_k); })) return;
  const std::string kept = records::read_text(file.path());
  fuzz::must(text.starts_with(kept), "cutting leaves the beginning");
  fuzz::must(kept.empty() || kept.back() == '\n', "cutting leaves whole lines");
  const bool readable = fuzz::accepts([&] { after = fuzz::count_steps(file.path()); });
  fuzz::must(!whole || (readable && after <= before), "what was readable is so after a cut");
  records::cut_lines(file.path(), next_k);
  fuzz::must(records::read_text(file.path()) == kept, "cutting twice is cutting once");
}
