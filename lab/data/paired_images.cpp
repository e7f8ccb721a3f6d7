#include "lab/data/paired_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::data {
namespace {

using Indices = std::vector<std::int64_t>;

/// The pool, shuffled again whenever it is used up.
Indices draw_in_rounds(const Indices& pool, std::int64_t count, Rng rng) {
  Indices drawn;
  drawn.reserve(static_cast<std::size_t>(count));
  while (static_cast<std::int64_t>(drawn.size()) < count) {
    for (const auto i : rng.permutation(static_cast<std::int64_t>(pool.size()))) {
      if (static_cast<std::int64_t>(drawn.size()) == count) break;
      drawn.push_back(pool[static_cast<std::size_t>(i)]);
    }
  }
  return drawn;
}

/// Exchanges partners until no image is its own. A single pair of one image takes another one of the pool instead.
void part_from_themselves(const Indices& first, Indices& second, const Indices& pool) {
  const std::size_t count = first.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i] != second[i]) continue;
    std::size_t j = (i + 1) % count;
    while (j != i && (first[i] == second[j] || first[j] == second[i])) j = (j + 1) % count;
    if (j != i) {
      std::swap(second[i], second[j]);
    } else {
      second[i] = pool[0] == first[i] ? pool[1] : pool[0];
    }
  }
}

void lay_over(const std::uint8_t* image, std::int64_t size, std::int64_t offset, std::int64_t side,
              std::uint8_t* canvas) {
  for (std::int64_t row = 0; row < size; ++row) {
    std::uint8_t* to = canvas + (row + offset) * side + offset;
    const std::uint8_t* from = image + row * size;
    for (std::int64_t column = 0; column < size; ++column) to[column] = std::max(to[column], from[column]);
  }
}

void refuse_unless_square(const LabelledImages& images) {
  if (images.height == images.width) return;
  throw Error(ErrorKind::data, fmt::format("images of {} x {} pixels", images.width, images.height),
              "must be square to be laid over each other", "Name another dataset");
}

struct Pools {
  Indices train, validation;
};

/// The images of the train file, parted in the proportion of the two parts, so that none is in both.
Pools part_images(std::int64_t available, const PairedImagesOptions& options, std::uint64_t seed) {
  const auto order = Rng(derive_seed(seed, "validation images")).permutation(available);
  const double share =
      static_cast<double>(options.validation) / static_cast<double>(options.train + options.validation);
  const auto held_out = static_cast<std::ptrdiff_t>(share * static_cast<double>(available) + 0.5);
  return {{order.begin() + held_out, order.end()}, {order.begin(), order.begin() + held_out}};
}

}  // namespace

PairedImages pair_images(const LabelledImages& images, const Indices& pool, std::int64_t count, std::int64_t shift,
                         std::uint64_t seed) {
  refuse_unless_square(images);
  if (pool.size() < 2 || count < 1 || shift < 0) {
    throw Error(ErrorKind::data, fmt::format("{} pairs of {} images, shifted by {}", count, pool.size(), shift),
                "needs at least one pair, two images and a shift that is not negative", "Ask for other sizes");
  }
  const Indices first = draw_in_rounds(pool, count, Rng(derive_seed(seed, "first images")));
  Indices second = draw_in_rounds(pool, count, Rng(derive_seed(seed, "second images")));
  part_from_themselves(first, second, pool);

  PairedImages pairs;
  pairs.count = count;
  pairs.side = images.height + shift;
  const std::int64_t canvas = pairs.side * pairs.side, pixels = images.pixels_an_image();
  pairs.pixels.assign(static_cast<std::size_t>(count * canvas), 0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::uint8_t* to = pairs.pixels.data() + static_cast<std::int64_t>(i) * canvas;
    lay_over(images.pixels.data() + first[i] * pixels, images.height, 0, pairs.side, to);
    lay_over(images.pixels.data() + second[i] * pixels, images.height, shift, pairs.side, to);
    for (const auto source : {first[i], second[i]}) {
      pairs.sources.push_back(source);
      pairs.labels.push_back(images.labels[static_cast<std::size_t>(source)]);
    }
  }
  return pairs;
}

PairedImagesParts make_paired_images(const PairedImagesOptions& options, std::uint64_t seed) {
  const DatasetInfo& info = find_idx_dataset(options.dataset);
  const auto folder = require_dataset(info, options.data);
  const auto read = [&](std::size_t images, std::size_t labels) {
    return read_labelled_images(*find_file(folder, info.files[images].name),
                                *find_file(folder, info.files[labels].name), info.classes);
  };
  const LabelledImages train_files = read(0, 1), test_files = read(2, 3);
  const std::uint64_t own = derive_seed(seed, "paired " + info.name);
  const Pools pools = part_images(train_files.count, options, own);
  Indices all(static_cast<std::size_t>(test_files.count));
  std::iota(all.begin(), all.end(), std::int64_t{0});

  PairedImagesParts parts;
  parts.classes = info.classes;
  parts.train = pair_images(train_files, pools.train, options.train, options.shift, derive_seed(own, "train"));
  parts.validation =
      pair_images(train_files, pools.validation, options.validation, options.shift, derive_seed(own, "validation"));
  parts.test = pair_images(test_files, all, options.test, options.shift, derive_seed(own, "test"));
  parts.provenance["files"] = {
      describe_file(info.files[0], train_files.pixels_sha256), describe_file(info.files[1], train_files.labels_sha256),
      describe_file(info.files[2], test_files.pixels_sha256), describe_file(info.files[3], test_files.labels_sha256)};
  parts.provenance["samples_sha256"] = {{"train", sha256(parts.train.sources)},
                                        {"validation", sha256(parts.validation.sources)},
                                        {"test", sha256(parts.test.sources)}};
  return parts;
}

}  // namespace moblo::lab::data
