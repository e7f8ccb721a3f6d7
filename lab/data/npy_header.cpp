#include "lab/data/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "moblo/base/error.hpp"

namespace moblo::lab::data {
namespace {

constexpr std::size_t longest_header = 1 << 16;
constexpr std::size_t most_dimensions = 8;
constexpr std::string_view magic = "\x93NUMPY";

/// Reads the Python dictionary that a header is: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyHeader& header) {
    expect('{');
    int keys = 0;
    while (!accept('}')) {
      const std::string key = text();
      expect(':');
      if (key == "descr") {
        header.descr = text();
      } else if (key == "fortran_order") {
        header.columns_first = truth();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        refuse_npy(name_, fmt::format("its header has the unknown key {}", in_quotes(key)));
      }
      ++keys;
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (keys != 3) refuse_npy(name_, "its header lacks one of descr, fortran_order and shape, or has one twice");
  }

 private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse_npy(name_, fmt::format("its header is not a dictionary: '{}' is missing", c));
  }
  std::string text() {
    skip();
    if (!text_.empty() && text_[0] == '[')
      refuse_npy(name_, "holds records of several fields", "Save one plain array each");
    const char quote = !text_.empty() && text_[0] == '"' ? '"' : '\'';
    expect(quote);
    const std::size_t end = text_.find(quote);
    if (end == text_.npos) refuse_npy(name_, "its header has a quote that is never closed");
    const std::string found(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return found;
  }
  bool truth() {
    skip();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    refuse_npy(name_, "its header says neither True nor False for fortran_order");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip();
      std::int64_t size = 0;
      const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (problem != std::errc() || size < 0) refuse_npy(name_, "its header has a size that is not a whole number");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      sizes.push_back(size);
      if (sizes.size() > most_dimensions)
        refuse_npy(name_, fmt::format("has more than {} dimensions", most_dimensions));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view text_;
  const std::string& name_;
};

bool known_type(char kind, std::size_t item) {
  switch (kind) {
    case 'f':
      return item == 2 || item == 4 || item == 8;
    case 'i':
    case 'u':
      return item == 1 || item == 2 || item == 4 || item == 8;
    case 'b':
      return item == 1;
    case 'U':
    case 'S':
      return item > 0 && item <= (1 << 16);
    default:
      return false;
  }
}

void parse_type(NpyHeader& header, const std::string& name) {
  const std::string& descr = header.descr;
  const std::string next = "Convert it, e.g. with .astype('float32'), or .astype(str) for names";
  if (descr.starts_with("|O")) refuse_npy(name, "holds Python objects, which are not read", next);
  if (descr.size() < 3) refuse_npy(name, fmt::format("has values of the unknown type {}", in_quotes(descr)), next);
  header.kind = descr[1];
  std::size_t length = 0;
  const auto [end, problem] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  const bool sized = problem == std::errc() && end == descr.data() + descr.size() && length <= longest_header;
  header.item = header.kind == 'U' ? 4 * length : length;
  if (!sized || !known_type(header.kind, header.item)) {
    refuse_npy(name, fmt::format("has values of type {}, which is not read", in_quotes(descr)), next);
  }
  if (descr[0] == '>' && header.item > 1) refuse_npy(name, fmt::format("is big endian ({})", in_quotes(descr)), next);
  if (descr[0] != '<' && descr[0] != '|' && descr[0] != '=' && descr[0] != '>') {
    refuse_npy(name, fmt::format("has values of the unknown type {}", in_quotes(descr)), next);
  }
}

/// Sizes are checked before they are multiplied: the product of a lying header may not fit any integer.
void check_sizes(NpyHeader& header, const std::string& name) {
  for (const auto size : header.shape) {
    if (size == 0) refuse_npy(name, "claims a size of 0", "Save an array with values");
    if (static_cast<std::uint64_t>(size) > most_values / header.values) {
      refuse_npy(name, fmt::format("claims more than {} values, the most that are read", most_values), "Divide it");
    }
    header.values *= static_cast<std::uint64_t>(size);
  }
}

}  // namespace

void refuse_npy(const std::string& name, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::data, name, rule, next.empty() ? "Save it again with numpy.save or numpy.savez" : next);
}

NpyHeader parse_npy_header(const Bytes& content, const std::string& name) {
  if (content.size() < 10) refuse_npy(name, fmt::format("has {} bytes, too few for an array of NumPy", content.size()));
  if (std::memcmp(content.data(), magic.data(), magic.size()) != 0) refuse_npy(name, "is not a NumPy array");
  const int version = content[6];
  if (version < 1 || version > 3) refuse_npy(name, fmt::format("is of the unknown format version {}", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::uint64_t length = 0;
  for (std::size_t i = prefix; i-- > 8;) length = length << 8 | (i < content.size() ? content[i] : 0);
  if (length > longest_header) refuse_npy(name, fmt::format("claims a header of {} bytes", length));
  if (content.size() < prefix + length) refuse_npy(name, "ends within its header");
  NpyHeader header;
  header.start = prefix + length;
  Dictionary({reinterpret_cast<const char*>(content.data()) + prefix, length}, name).read(header);
  parse_type(header, name);
  check_sizes(header, name);
  return header;
}

}  // namespace moblo::lab::data
