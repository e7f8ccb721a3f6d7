#include "moblo/records/line_scanner.hpp"

#include <charconv>
#include <string>

namespace moblo::records {
namespace {

/// Takes tokens off the front of a line; once one does not fit, nothing fits any more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  Scanner& literal(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    if (ok_) rest_.remove_prefix(expected.size());
    return *this;
  }

  template <class Number>
  Scanner& number(Number& value) {
    ok_ = ok_ && starts_number();
    if (!ok_) return *this;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
    ok_ = failure == std::errc() && taken != "-0";  // written as -0.0; JSON's whole numbers have no such zero
    if (ok_) rest_.remove_prefix(taken.size());
    return *this;
  }

  /// A value that is not finite is a string, and left to the JSON reader.
  Scanner& numbers(std::vector<double>& values) {
    literal("[");
    while (ok_ && !next_is(']')) {
      if (!values.empty()) literal(",");
      number(values.emplace_back());
    }
    return literal("]");
  }

  /// Plain ASCII without escapes.
  Scanner& text(std::string& value) {
    literal("\"");
    std::size_t size = 0;
    while (size < rest_.size() && is_plain(rest_[size])) ++size;
    if (ok_) value = rest_.substr(0, size);
    if (ok_) rest_.remove_prefix(size);
    return literal("\"");
  }

  Scanner& named_numbers(std::vector<std::pair<std::string, double>>& values) {
    literal("{");
    while (ok_ && !next_is('}')) {
      if (!values.empty()) literal(",");
      auto& [name, value] = values.emplace_back();
      text(name).literal(":").number(value);
    }
    return literal("}");
  }

  /// Takes the text off where it is there; otherwise nothing changes.
  bool continues_with(std::string_view expected) {
    const bool found = ok_ && rest_.starts_with(expected);
    if (found) rest_.remove_prefix(expected.size());
    return found;
  }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  /// from_chars would take "inf" and "nan" as well, which JSON does not know.
  bool starts_number() const {
    const auto digit = rest_.starts_with('-') ? rest_.substr(1) : rest_;
    return !digit.empty() && digit.front() >= '0' && digit.front() <= '9';
  }
  static bool is_plain(char c) { return c >= ' ' && c != '"' && c != '\\' && c != '\x7f'; }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::optional<StepRecord> scan_step(std::string_view line) {
  StepRecord record;
  Scanner scanner(line);
  scanner.literal("{\"k\":").number(record.k);
  scanner.literal(",\"losses\":").numbers(record.losses);
  scanner.literal(",\"lower_loss\":").number(record.lower_loss);
  scanner.literal(",\"q\":").number(record.q);
  scanner.literal(",\"kkt\":").number(record.kkt);
  scanner.literal(",\"weights\":").numbers(record.weights);
  scanner.literal(",\"solved_weights\":").numbers(record.solved_weights);
  scanner.literal(",\"nu\":").number(record.nu);
  scanner.literal(",\"gradient_norms\":").numbers(record.gradient_norms);
  scanner.literal(",\"conflict_cosines\":").numbers(record.conflict_cosines);
  scanner.literal(",\"qp_status\":").text(record.qp_status);
  scanner.literal(",\"qp_residual\":").number(record.qp_residual);
  if (scanner.continues_with(",\"distance\":")) scanner.number(record.distance.emplace());
  auto& counts = record.gradients;
  if (scanner.continues_with(",\"gradients\":{\"lower\":")) {
    scanner.number(counts.lower).literal(",\"upper\":").number(counts.upper);
    scanner.literal(",\"second_order\":").number(counts.second_order).literal("}");
  }
  scanner.literal("}");
  return scanner.finished() && record.k >= 0 ? std::optional(std::move(record)) : std::nullopt;
}

std::optional<StepTiming> scan_timing(std::string_view line) {
  StepTiming timing;
  Scanner scanner(line);
  scanner.literal("{\"k\":").number(timing.k);
  scanner.literal(",\"seconds\":").named_numbers(timing.seconds);
  scanner.literal(",\"peak_bytes\":").number(timing.peak_bytes).literal("}");
  return scanner.finished() && timing.k >= 0 ? std::optional(std::move(timing)) : std::nullopt;
}

std::optional<std::int64_t> scan_iteration(std::string_view line) {
  if (const auto record = scan_step(line)) return record->k;
  if (const auto timing = scan_timing(line)) return timing->k;
  return std::nullopt;
}

}  // namespace moblo::records
