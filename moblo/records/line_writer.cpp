#include "moblo/records/line_writer.hpp"

#include <algorithm>

#include "moblo/records/json_fields.hpp"

namespace moblo::records {
namespace {

constexpr std::size_t most_taken_back = 4;  // a step that is undone has one record, and evaluations before and after

}  // namespace

void LineWriter::append(std::int64_t k, const Json& record) {
  const auto line = dump_json(record) + '\n';
  last_.emplace_back(k, digest_);
  if (last_.size() > most_taken_back) last_.pop_front();
  digest_.add(line);
  file_.append(line);
}

Digest LineWriter::digest_before(std::int64_t next_k) const {
  const auto first = std::find_if(last_.begin(), last_.end(), [&](const auto& line) { return line.first >= next_k; });
  return first == last_.end() ? digest_ : first->second;
}

}  // namespace moblo::records
