#include "fuzz/target.hpp"
#include "lab/readers/named_tensors.hpp"
#include "moblo/records/tensor_layout.hpp"

// Weights of any program: no checksum is asked for.
MOBLO_FUZZ_TARGET(safetensors) {
  using namespace moblo;
  static fuzz::ScratchFile file("weights.safetensors");
  file.write(input);
  fuzz::accepts([&] {
    std::size_t bytes = 0;
    for (const auto& tensor : lab::readers::read_named_tensors(file.path())) {
      fuzz::must(tensor.bytes.size() == records::tensor_layout::expected_bytes(tensor), "a tensor has its bytes");
      bytes += tensor.bytes.size();
    }
    fuzz::must(bytes <= input.size(), "tensors are no larger than their file");
  });
}
