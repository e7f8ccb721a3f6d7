#include "moblo/data/readers/npy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "moblo/base/error.hpp"
#include "moblo/data/readers/half.hpp"
#include "moblo/data/readers/samples.hpp"

namespace moblo {
namespace {

constexpr std::size_t longest_header = 1 << 16;
constexpr std::size_t most_dimensions = 8;
constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& name, const std::string& rule, const std::string& next = "") {
  throw Error(ErrorKind::data, name, rule, next.empty() ? "Save it again with numpy.save or numpy.savez" : next);
}

struct Header {
  std::size_t start = 0;  ///< of the values
  std::string descr;
  bool columns_first = false;
  std::vector<std::int64_t> shape;
  char kind = 0;
  std::size_t item = 0;
  std::uint64_t values = 1;
};

/// Reads the Python dictionary that a header is: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(Header& header) {
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
        refuse(name_, fmt::format("its header has the unknown key {}", in_quotes(key)));
      }
      ++keys;
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (keys != 3) refuse(name_, "its header lacks one of descr, fortran_order and shape, or has one twice");
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
    if (!accept(c)) refuse(name_, fmt::format("its header is no dictionary: '{}' is missing", c));
  }
  std::string text() {
    skip();
    if (!text_.empty() && text_[0] == '[')
      refuse(name_, "holds records of several fields", "Save one plain array each");
    const char quote = !text_.empty() && text_[0] == '"' ? '"' : '\'';
    expect(quote);
    const std::size_t end = text_.find(quote);
    if (end == text_.npos) refuse(name_, "its header has a quote that is never closed");
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
    refuse(name_, "its header says neither True nor False for fortran_order");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip();
      std::int64_t size = 0;
      const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (problem != std::errc() || size < 0) refuse(name_, "its header has a size that is no whole number");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      sizes.push_back(size);
      if (sizes.size() > most_dimensions) refuse(name_, fmt::format("has more than {} dimensions", most_dimensions));
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

void parse_type(Header& header, const std::string& name) {
  const std::string& descr = header.descr;
  const std::string next = "Convert it, e.g. with .astype('float32'), or .astype(str) for names";
  if (descr.starts_with("|O")) refuse(name, "holds Python objects, which are not read", next);
  if (descr.size() < 3) refuse(name, fmt::format("has values of the unknown type {}", in_quotes(descr)), next);
  header.kind = descr[1];
  std::size_t length = 0;
  const auto [end, problem] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), length);
  const bool sized = problem == std::errc() && end == descr.data() + descr.size() && length <= longest_header;
  header.item = header.kind == 'U' ? 4 * length : length;
  if (!sized || !known_type(header.kind, header.item)) {
    refuse(name, fmt::format("has values of type {}, which is not read", in_quotes(descr)), next);
  }
  if (descr[0] == '>' && header.item > 1) refuse(name, fmt::format("is big endian ({})", in_quotes(descr)), next);
  if (descr[0] != '<' && descr[0] != '|' && descr[0] != '=' && descr[0] != '>') {
    refuse(name, fmt::format("has values of the unknown type {}", in_quotes(descr)), next);
  }
}

/// Sizes are checked before they are multiplied: the product of a lying header may not fit any integer.
void check_sizes(Header& header, const std::string& name) {
  for (const auto size : header.shape) {
    if (size == 0) refuse(name, "claims a size of 0", "Save an array with values");
    if (static_cast<std::uint64_t>(size) > most_values / header.values) {
      refuse(name, fmt::format("claims more than {} values, the most that are read", most_values), "Divide it");
    }
    header.values *= static_cast<std::uint64_t>(size);
  }
}

Header parse_header(const Bytes& content, const std::string& name) {
  if (content.size() < 10) refuse(name, fmt::format("has {} bytes, too few for an array of NumPy", content.size()));
  if (std::memcmp(content.data(), magic.data(), magic.size()) != 0) refuse(name, "is no array of NumPy");
  const int version = content[6];
  if (version < 1 || version > 3) refuse(name, fmt::format("is of the unknown format version {}", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::uint64_t length = 0;
  for (std::size_t i = prefix; i-- > 8;) length = length << 8 | (i < content.size() ? content[i] : 0);
  if (length > longest_header) refuse(name, fmt::format("claims a header of {} bytes", length));
  if (content.size() < prefix + length) refuse(name, "ends within its header");
  Header header;
  header.start = prefix + length;
  Dictionary({reinterpret_cast<const char*>(content.data()) + prefix, length}, name).read(header);
  parse_type(header, name);
  check_sizes(header, name);
  return header;
}

template <class T>
T value_at(const NpyArray& array, std::size_t index) {
  T value;
  std::memcpy(&value, array.values.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `use` with an array's value type as a tag.
template <class Use>
void with_type(const NpyArray& array, const Use& use) {
  if (array.kind == 'b') return use(std::uint8_t{});
  if (array.kind == 'f') return array.item == 4 ? use(float{}) : use(double{});
  const bool s = array.kind == 'i';
  switch (array.item) {
    case 1:
      return s ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2:
      return s ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4:
      return s ? use(std::int32_t{}) : use(std::uint32_t{});
    default:
      return s ? use(std::int64_t{}) : use(std::uint64_t{});
  }
}

/// Where the values of Fortran's order stand in C order, one after another.
class COrder {
 public:
  explicit COrder(const std::vector<std::int64_t>& shape) : shape_(shape), index_(shape.size(), 0) {
    stride_.assign(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) stride_[i - 1] = stride_[i] * static_cast<std::size_t>(shape[i]);
  }
  std::size_t next() {
    const std::size_t here = at_;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      at_ += stride_[i];
      if (++index_[i] < shape_[i]) break;
      at_ -= stride_[i] * static_cast<std::size_t>(shape_[i]);
      index_[i] = 0;
    }
    return here;
  }

 private:
  std::vector<std::int64_t> shape_, index_;
  std::vector<std::size_t> stride_;
  std::size_t at_ = 0;
};

void append_utf8(std::string& text, std::uint32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    text += {static_cast<char>(0xF0 | (c >> 18 & 7)), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
             static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

std::string name_at(const NpyArray& array, std::size_t index) {
  const std::uint8_t* start = array.values.data() + index * array.item;
  std::string text;
  if (array.kind == 'S') {
    text.assign(reinterpret_cast<const char*>(start), array.item);
    text.resize(std::strlen(text.c_str()));
  } else {
    for (std::size_t i = 0; i < array.item; i += 4) {
      std::uint32_t c = 0;
      std::memcpy(&c, start + i, 4);
      if (c == 0) break;
      append_utf8(text, c);
    }
  }
  return std::string(trimmed(text));
}

/// So that nobody else meets halves.
void widen_halves(NpyArray& array) {
  if (array.kind != 'f' || array.item != 2) return;
  Bytes wide(2 * array.values.size());
  for (std::size_t i = 0; i < array.count(); ++i) {
    const float value = half_value(value_at<std::uint16_t>(array, i));
    std::memcpy(wide.data() + i * sizeof(float), &value, sizeof(float));
  }
  array.values = std::move(wide);
  array.item = sizeof(float);
}

template <class Real>
std::vector<Real> npy_reals(const NpyArray& array, Problems& problems) {
  if (!array.is_number()) refuse(array.name, "holds text where numbers are needed");
  std::vector<Real> reals(array.count());
  const std::size_t width = array.shape.empty() ? 1 : reals.size() / static_cast<std::size_t>(array.shape[0]);
  COrder order(array.shape);
  with_type(array, [&]<class T>(T) {
    for (std::size_t i = 0; i < reals.size(); ++i) {
      const T value = value_at<T>(array, i);
      const std::size_t to = array.columns_first ? order.next() : i;
      reals[to] = static_cast<Real>(value);
      if (std::isfinite(reals[to])) continue;
      problems.add(fmt::format("array {}: sample {}, value {}: {} is not a finite {}", array.name, to / width,
                               to % width, value, std::is_same_v<Real, float> ? "float" : "number"));
    }
  });
  return reals;
}

}  // namespace

std::uint64_t npy_length(const Bytes& beginning, const std::string& name) {
  const Header header = parse_header(beginning, name);
  return header.start + header.values * header.item;
}

NpyArray parse_npy(Bytes content, const std::string& name) {
  Header header = parse_header(content, name);
  const std::uint64_t claimed = header.start + header.values * header.item;
  if (content.size() != claimed) {
    refuse(name, content.size() < claimed
                     ? fmt::format("is cut short: its header claims {} bytes, {} are there", claimed, content.size())
                     : fmt::format("is longer than the {} bytes that its header claims", claimed));
  }
  content.erase(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(header.start));
  NpyArray array{name, std::move(header.shape), header.kind, header.item, header.columns_first, std::move(content)};
  widen_halves(array);
  return array;
}

NpyArray read_npy(const std::filesystem::path& file) {
  const std::string name = file.string();
  return parse_npy(read_file_bytes(file, std::numeric_limits<std::uint32_t>::max(),
                                   [&](const Bytes& beginning) { return npy_length(beginning, name); }),
                   name);
}

std::vector<float> npy_floats(const NpyArray& array, Problems& problems) {
  return npy_reals<float>(array, problems);
}

std::vector<double> npy_doubles(const NpyArray& array, Problems& problems) {
  return npy_reals<double>(array, problems);
}

std::vector<std::string> npy_texts(const NpyArray& array, Problems& problems) {
  const bool column = array.shape.size() == 2 && array.shape[1] == 1;
  if (array.shape.size() != 1 && !column) {
    refuse(array.name, fmt::format("has {} dimensions; one value a sample is needed", array.shape.size()));
  }
  std::vector<std::string> texts(array.count());
  if (!array.is_number()) {
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = name_at(array, i);
    return texts;
  }
  with_type(array, [&]<class T>(T) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const T value = value_at<T>(array, i);
      if constexpr (std::is_floating_point_v<T>) {
        if (!(std::abs(value) < T(1 << 24)) || value != std::floor(value)) {
          problems.add(fmt::format("array {}: sample {}: {} is no whole number", array.name, i, value));
          texts[i] = "?";
          continue;
        }
        texts[i] = std::to_string(static_cast<std::int64_t>(value));
      } else {
        texts[i] = std::to_string(value);
      }
    }
  });
  return texts;
}

}  // namespace moblo
