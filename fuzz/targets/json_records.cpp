#include "fuzz/target.hpp"
#include "lab/report/arena_record.hpp"
#include "lab/report/experiment_record.hpp"
#include "moblo/records/front_record.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/records.hpp"

namespace moblo::fuzz {
namespace {

/// What was read and written again reads as the same.
template <class Read>
void check_json_record(const Json& json, const Read& read) {
  std::string once;
  if (!accepts([&] { once = records::dump_json(to_json(read(json))); })) return;
  std::string twice;
  const bool again = accepts([&] { twice = records::dump_json(to_json(read(base::parse_json(once)))); });
  must(again && once == twice, "a record that was read can be written and read again");
}

}  // namespace
}  // namespace moblo::fuzz

// One JSON document as every kind of record.
MOBLO_FUZZ_TARGET(json_records) {
  using namespace moblo;
  const Json json = base::parse_json(fuzz::text_of(input));
  if (json.is_discarded()) return;
  fuzz::check_json_record(json, records::manifest);
  fuzz::check_json_record(json, records::summary);
  fuzz::check_json_record(json, records::refit);
  fuzz::check_json_record(json, records::step_record);
  fuzz::check_json_record(json, records::step_timing);
  fuzz::check_json_record(json, records::evaluation);
  fuzz::check_json_record(json, records::front_record);
  fuzz::check_json_record(json, lab::report::arena_record);
  fuzz::check_json_record(json, lab::report::experiment_record);
  records::decode_non_finite(records::encode_non_finite(json));
}
