#include "lab/data/npy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "lab/data/half.hpp"
#include "lab/data/npy_header.hpp"

namespace moblo::lab::data {
namespace {

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
  if (!array.is_number()) refuse_npy(array.name, "holds text where numbers are needed");
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
  return parse_npy_header(beginning, name).claimed();
}

NpyArray parse_npy(Bytes content, const std::string& name) {
  NpyHeader header = parse_npy_header(content, name);
  const std::uint64_t claimed = header.claimed();
  if (content.size() != claimed) {
    refuse_npy(name,
               content.size() < claimed
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
    refuse_npy(array.name, fmt::format("has {} dimensions; one value per sample is needed", array.shape.size()));
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
          problems.add(fmt::format("array {}: sample {}: {} is not a whole number", array.name, i, value));
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

}  // namespace moblo::lab::data
