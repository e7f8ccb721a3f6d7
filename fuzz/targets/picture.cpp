#include "lab/readers/picture.hpp"

#include "fuzz/target.hpp"

// One image: the first byte is the side it will be brought to.
MOBLO_FUZZ_TARGET(picture) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const int side = taker.up_to(64);
  std::string why;
  const auto picture = lab::readers::decode_picture(fuzz::bytes_of(taker.rest()), side, why);
  fuzz::must(picture || !why.empty(), "a reason is given");
  if (!picture) return;
  fuzz::must(picture->pixels.size() == static_cast<std::size_t>(picture->height * picture->width * picture->channels),
             "a picture has its pixels");
  if (side > 0) {
    const auto small = lab::readers::with_channels(lab::readers::resized(*picture, side, side), 1);
    fuzz::must(small.pixels.size() == static_cast<std::size_t>(side * side), "a resized picture has its size");
  }
}
