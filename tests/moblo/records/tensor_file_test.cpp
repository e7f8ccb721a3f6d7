#include "moblo/records/tensor_file.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records {
namespace {

using fixtures::error_text;
using fixtures::sample_tensors;
using fixtures::tensor;
using fixtures::text_of;
using fixtures::write_raw;
using testing::HasSubstr;

class TensorFileOnDisk : public testing::Test {
 protected:
  TensorFile read(bool require_checksum = true) const { return read_tensor_file(file, require_checksum); }
  std::string refusal(bool require_checksum = false) const {
    return error_text(ErrorKind::checkpoint, [&] { read(require_checksum); });
  }
  /// A file as another program, or an enemy, may have made it.
  void forge(const std::string& header, const std::string& data) const {
    std::string length(8, '\0');
    for (int i = 0; i < 8; ++i) length[static_cast<std::size_t>(i)] = static_cast<char>(header.size() >> (8 * i));
    write_raw(file, length + header + data);
  }

  fixtures::TemporaryFolder folder;
  std::filesystem::path file = folder / "state.safetensors";
};

TEST_F(TensorFileOnDisk, ComesBackAsItWas) {
  const auto written = sample_tensors();
  write_tensor_file(file, written);
  const auto back = read();
  ASSERT_EQ(back.tensors.size(), written.tensors.size());
  for (std::size_t i = 0; i < back.tensors.size(); ++i) {
    EXPECT_EQ(back.tensors[i].name, written.tensors[i].name);
    EXPECT_EQ(back.tensors[i].dtype, written.tensors[i].dtype);
    EXPECT_EQ(back.tensors[i].shape, written.tensors[i].shape);
    EXPECT_EQ(back.tensors[i].bytes, written.tensors[i].bytes);
  }
  EXPECT_EQ(back.state, written.state);
}

TEST_F(TensorFileOnDisk, KeepsInfinitiesInTheState) {
  TensorFile content;
  content.state = {{"best", std::numeric_limits<double>::infinity()}, {"list", {1.0, std::nan("")}}};
  write_tensor_file(file, content);
  const auto state = read().state;
  EXPECT_EQ(state["best"].get<double>(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(state["list"][1].get<double>()));
}

TEST_F(TensorFileOnDisk, HoldsTheBytesTheFormatPrescribes) {
  write_tensor_file(file, sample_tensors());
  const auto bytes = text_of(file);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), 8);
  EXPECT_EQ(header_bytes % 8, 0u);
  const auto header = Json::parse(bytes.substr(8, header_bytes));
  EXPECT_TRUE(header.at("__metadata__").at("moblo.state").is_string());
  EXPECT_EQ(header.at("__metadata__").at("moblo.crc32").get<std::string>().size(), 8u);
  for (const auto* wide : {"omega", "order"}) EXPECT_EQ(header.at(wide).at("data_offsets")[0].get<int>() % 8, 0);
  EXPECT_EQ(header.at("alpha").at("data_offsets")[0].get<int>() % 4, 0);
  double first = 0;
  std::memcpy(&first, bytes.data() + 8 + header_bytes + header.at("omega").at("data_offsets")[0].get<std::size_t>(), 8);
  EXPECT_EQ(first, 1.5);
}

TEST_F(TensorFileOnDisk, FindsAFlippedBitInEveryByte) {
  TensorFile content;
  content.tensors.push_back(tensor<float>("w", "F32", {2}, {1, 2}));
  content.state = {{"k", 3}};
  write_tensor_file(file, content);
  const auto whole = text_of(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at * 5 % 8)));
    write_raw(file, damaged);
    try {
      const auto back = read();
      // A space of the padding that became another blank changes nothing.
      EXPECT_EQ(back.state, content.state);
      EXPECT_EQ(back.tensors.at(0).bytes, content.tensors[0].bytes);
      EXPECT_EQ(back.tensors.at(0).name, "w");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::checkpoint);
    }
  }
}

TEST_F(TensorFileOnDisk, FindsEveryTruncation) {
  write_tensor_file(file, sample_tensors());
  const auto whole = text_of(file);
  for (std::size_t kept = 0; kept < whole.size(); kept += 3) {
    write_raw(file, whole.substr(0, kept));
    EXPECT_THAT(refusal(), HasSubstr("state.safetensors"));
  }
  write_raw(file, whole + "x");
  EXPECT_THAT(refusal(), HasSubstr("added to"));
}

TEST_F(TensorFileOnDisk, SurvivesRandomBytes) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    std::string bytes(random() % 64, ' ');
    for (auto& byte : bytes) byte = static_cast<char>(random());
    write_raw(file, bytes);
    refusal();
  }
}

TEST_F(TensorFileOnDisk, RefusesALengthThatLiesBeforeTakingMemory) {
  write_raw(file, std::string(8, '\xff') + "{}");
  EXPECT_THAT(refusal(), HasSubstr("its header claims 18446744073709551615 bytes"));
}

TEST_F(TensorFileOnDisk, RefusesHeadersThatContradictThemselves) {
  const std::string data(8, '\1');
  struct Row {
    const char *header, *complaint;
  };
  for (const auto& [header, complaint] : {
           Row{"not json", "not a JSON object"},
           Row{"[1,2]", "not a JSON object"},
           Row{"", "not a JSON object"},
           Row{R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
               R"("w":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}})",
               "'w' twice"},
           Row{R"({"w":{"dtype":"F32","dtype":"I32","shape":[2],"data_offsets":[0,8]}})", "'dtype' twice"},
           Row{R"({"w":{"dtype":"F128","shape":[2],"data_offsets":[0,8]}})", "'F128'"},
           Row{R"({"w":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", "must be a string"},
           Row{R"({"w":{"shape":[2],"data_offsets":[0,8]}})", "no 'dtype'"},
           Row{R"({"w":{"dtype":"F32","data_offsets":[0,8]}})", "no 'shape'"},
           Row{R"({"w":{"dtype":"F32","shape":[2]}})", "no 'data_offsets'"},
           Row{R"({"w":5})", "no 'dtype'"},
           Row{R"({"w":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", "must be a list"},
           Row{R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "0 or more"},
           Row{R"({"w":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", "0 or more"},
           Row{R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "two integers"},
           Row{R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "do not match"},
           Row{R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "do not match"},
           Row{R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})", "overlap or leave gaps"},
           Row{R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", "cut off"},
           Row{R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "added to"},
           Row{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
               "overlap or leave gaps"},
           Row{R"({"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", "overflows"},
           Row{R"({"w":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})", "0 or more"},
           Row{R"({"w":{"dtype":"U8","shape":[9000000000000000000],"data_offsets":[0,9000000000000000000]}})",
               "cut off"},
           Row{R"({"__metadata__":7,"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "metadata"},
           Row{R"({"__metadata__":{"moblo.state":7},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               "not a string"},
           Row{R"({"__metadata__":{"moblo.state":"["},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "state"},
           Row{R"({"__metadata__":{"moblo.crc32":"00000000"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               "checksum"},
       }) {
    forge(header, data);
    EXPECT_THAT(refusal(), HasSubstr(complaint)) << header;
  }
}

TEST_F(TensorFileOnDisk, RefusesTruthValuesOtherThanZeroAndOne) {
  forge(R"({"w":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\1\2");
  EXPECT_THAT(refusal(), HasSubstr("0 or 1"));
}

TEST_F(TensorFileOnDisk, RefusesADocumentNestedToBreakTheStack) {
  forge(std::string(1'000'000, '['), "");
  EXPECT_THAT(refusal(), HasSubstr("nested too deeply"));
  forge(R"({"a":)" + std::string(500'000, '{'), "");
  refusal();
}

TEST_F(TensorFileOnDisk, ReadsAFileOfAnotherProgramUnlessAChecksumIsRequired) {
  forge(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"format":"pt"}}  )",
        std::string(8, '\0'));
  const auto content = read(false);
  ASSERT_EQ(content.tensors.size(), 1u);
  EXPECT_EQ(content.tensors[0].shape, std::vector<std::int64_t>{2});
  EXPECT_TRUE(content.state.is_object());
  EXPECT_THAT(refusal(true), HasSubstr("no checksum"));
}

TEST_F(TensorFileOnDisk, SaysWhatIsWrongWithAPathThatIsNoFile) {
  EXPECT_THAT(refusal(), HasSubstr("no such file"));
  std::filesystem::create_directory(file);
  EXPECT_THAT(refusal(), HasSubstr("is not a file"));
}

TEST_F(TensorFileOnDisk, RefusesToWriteTensorsThatDoNotAgree) {
  const auto refused = [&](const TensorFile& content) {
    return error_text(ErrorKind::checkpoint, [&] { write_tensor_file(file, content); });
  };
  TensorFile content;
  content.tensors.push_back(tensor<float>("w", "F32", {3}, {1, 2}));
  EXPECT_THAT(refused(content), HasSubstr("has 8 bytes where its shape needs 12"));
  content.tensors = {tensor<float>("w", "F32", {1}, {1}), tensor<float>("w", "F32", {1}, {1})};
  EXPECT_THAT(refused(content), HasSubstr("'w' is taken"));
  content.tensors = {tensor<float>("__metadata__", "F32", {1}, {1})};
  EXPECT_THAT(refused(content), HasSubstr("is taken"));
  content.tensors = {tensor<float>("caf\xe9", "F32", {1}, {1})};
  EXPECT_THAT(refused(content), HasSubstr("UTF-8"));
  content.tensors = {};
  content.state = Json::array();
  EXPECT_THAT(refused(content), HasSubstr("state"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(TensorFileOnDisk, ReplacesTheOldFileAndLeavesNoTemporary) {
  write_tensor_file(file, sample_tensors(1));
  write_tensor_file(file, sample_tensors(2));
  double first = 0;
  std::memcpy(&first, read().tensors[1].bytes.data(), 8);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(TensorFileOnDisk, AFailedWriteNamesThePathAndTheReason) {
  const auto message =
      error_text(ErrorKind::io, [&] { write_tensor_file(folder / "missing/state.safetensors", sample_tensors()); });
  EXPECT_THAT(message, HasSubstr("missing/state.safetensors"));
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
}

TEST_F(TensorFileOnDisk, AFailedRenameRemovesTheTemporary) {
  std::filesystem::create_directories(file / "in the way");
  error_text(ErrorKind::io, [&] { write_text_atomically(file, "text"); });
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace moblo::records
