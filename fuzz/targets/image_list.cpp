#include "lab/readers/image_list.hpp"

#include "fuzz/target.hpp"

// A list of images, and after next_file the ids or the list of the trusted ones.
MOBLO_FUZZ_TARGET(image_list) {
  using namespace moblo;
  static fuzz::ScratchFile list("images.txt"), trusted("trusted_images.txt");
  fuzz::Taker taker(input);
  lab::data::NoisySource source;
  source.data = list.write(taker.until(fuzz::next_file));
  if (!taker.empty()) source.trusted = trusted.write(taker.rest());
  fuzz::accepts([&] {
    lab::readers::ReadingNotes notes;
    const auto images = lab::readers::list_noisy_images(source, notes).images;
    fuzz::must(!images.empty(), "a list that is read is not empty");
    for (const auto& image : images) fuzz::must(!image.id.empty() && !image.label.empty(), "images have id and label");
  });
}
