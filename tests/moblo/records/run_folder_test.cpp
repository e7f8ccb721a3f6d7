#include "moblo/records/run_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <optional>

#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records {
namespace {

using fixtures::append_raw;
using fixtures::error_text;
using fixtures::sample_manifest;
using fixtures::sample_step;
using fixtures::sample_tensors;
using fixtures::sample_timing;
using fixtures::text_of;
using fixtures::write_raw;
using testing::HasSubstr;

class RunOnDisk : public testing::Test {
 protected:
  std::vector<std::int64_t> recorded_steps() const {
    std::vector<std::int64_t> ks;
    for (const auto& step : read_run(run).steps) ks.push_back(step.k);
    return ks;
  }

  fixtures::TemporaryFolder folder;
  std::filesystem::path run = folder / "a/b/run";
  std::filesystem::path steps = run / "steps.jsonl";
};

TEST_F(RunOnDisk, ComesBackAsItWasWritten) {
  fixtures::write_sample_run(run, 250);
  const auto record = read_run(run);
  ASSERT_EQ(record.steps.size(), 250u);
  for (std::int64_t k = 0; k < 250; ++k) EXPECT_EQ(record.steps[static_cast<std::size_t>(k)], sample_step(k));
  EXPECT_EQ(record.timings.size(), 250u);
  EXPECT_EQ(record.evaluations.size(), 3u);
  EXPECT_EQ(record.manifest.title, "synthetic, forum");
  ASSERT_TRUE(record.summary);
  EXPECT_EQ(record.summary->iterations, 250);
}

TEST_F(RunOnDisk, IsReadableWhileItGoesOn) {
  auto writer = RunFolder::create(run, sample_manifest());
  writer.append(sample_step(0));
  writer.append(sample_step(1));
  writer.flush();
  EXPECT_EQ(recorded_steps(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_FALSE(read_run(run).summary);
}

TEST_F(RunOnDisk, ToleratesALastLineThatIsNotWhole) {
  fixtures::write_sample_run(run, 3);
  const auto whole = text_of(steps);
  for (const auto* rest : {"{\"k\":3,\"los", "{\"k\":3,\"los\n", "\n", "{}"}) {
    write_raw(steps, whole + rest);
    EXPECT_EQ(recorded_steps().size(), 3u) << rest;
  }
  for (std::size_t kept = 0; kept < whole.size(); kept += 11) {
    write_raw(steps, whole.substr(0, kept));
    EXPECT_LE(recorded_steps().size(), 3u);
  }
}

TEST_F(RunOnDisk, ReadsLinesOfAnyJsonShape) {
  auto diverged = sample_step(1);
  diverged.q = std::numeric_limits<double>::infinity();
  {
    auto writer = RunFolder::create(run, sample_manifest());
    writer.append(sample_step(0));
    writer.append(diverged);
  }
  auto json = Json::parse(to_json(sample_step(2)).dump());
  json["added later"] = true;
  append_raw(steps, " " + json.dump() + " \n");
  const auto record = read_run(run);
  ASSERT_EQ(record.steps.size(), 3u);
  EXPECT_EQ(record.steps[1], diverged);
  EXPECT_EQ(record.steps[2], sample_step(2));
  RunFolder::reopen(run, sample_manifest(), 2);
  EXPECT_EQ(recorded_steps(), (std::vector<std::int64_t>{0, 1}));
}

TEST_F(RunOnDisk, NamesFileAndLineOfADamagedRecord) {
  fixtures::write_sample_run(run, 3);
  const auto whole = text_of(steps);
  write_raw(steps, "{\"k\":\n" + whole);
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("steps.jsonl:1: is not JSON"));
  write_raw(steps, whole + "{\"k\":3}\n");
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }),
              HasSubstr("steps.jsonl:4: step record: 'losses' is missing"));
  write_raw(steps, whole);
  write_raw(run / "summary.json", "{");
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("summary.json: is not JSON"));
  write_raw(run / "manifest.json", "[]");
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("manifest.json"));
}

TEST_F(RunOnDisk, AFolderWithoutManifestIsNoRun) {
  EXPECT_FALSE(is_run_folder(folder.path()));
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(folder.path()); }), HasSubstr("no manifest.json"));
}

TEST_F(RunOnDisk, IsFoundBelowItsRoot) {
  fixtures::write_sample_run(folder / "z", 1);
  fixtures::write_sample_run(run, 1);
  EXPECT_EQ(find_runs(folder.path()), (std::vector<std::filesystem::path>{run, folder / "z"}));
  EXPECT_EQ(find_runs(run), std::vector<std::filesystem::path>{run});
  EXPECT_TRUE(find_runs(folder / "nowhere").empty());
}

TEST_F(RunOnDisk, CreateRefusesAFolderThatHoldsARun) {
  fixtures::write_sample_run(run, 1);
  const auto message = error_text(ErrorKind::config, [&] { RunFolder::create(run, sample_manifest()); });
  EXPECT_THAT(message, HasSubstr("--resume"));
  EXPECT_THAT(message, HasSubstr("--out"));
}

TEST_F(RunOnDisk, CreateRefusesAFileAndAPathBelowAFile) {
  write_raw(folder / "file", "");
  error_text(ErrorKind::config, [&] { RunFolder::create(folder / "file", sample_manifest()); });
  EXPECT_THAT(error_text(ErrorKind::io, [&] { RunFolder::create(folder / "file/run", sample_manifest()); }),
              HasSubstr("Not a directory"));
}

TEST_F(RunOnDisk, CreateRefusesAParentThatCannotBeWritten) {
  // /proc refuses new folders even to root, whom permissions do not stop.
  const auto message = error_text(ErrorKind::io, [] { RunFolder::create("/proc/moblo/run", sample_manifest()); });
  EXPECT_THAT(message, HasSubstr("/proc/moblo"));
  error_text(ErrorKind::io, [&] { RunFolder::create(folder / std::string(300, 'x'), sample_manifest()); });
}

TEST_F(RunOnDisk, AFullDiskIsAnErrorThatNamesTheFile) {
  RunFolder::create(run, sample_manifest());
  std::filesystem::remove(steps);
  std::filesystem::create_symlink("/dev/full", steps);
  auto writer = RunFolder::reopen(run, sample_manifest(), 0);
  writer.append(sample_step(0));
  const auto message = error_text(ErrorKind::io, [&] { writer.flush(); });
  EXPECT_THAT(message, HasSubstr("steps.jsonl"));
  EXPECT_THAT(message, HasSubstr("No space left on device"));
  writer.append(sample_step(1));
  error_text(ErrorKind::io, [&] { writer.flush(); });
}

TEST_F(RunOnDisk, ReopenCutsWhatWillBeComputedAgain) {
  fixtures::write_sample_run(run, 250);
  append_raw(steps, "{\"k\":250");
  RunFolder::reopen(run, sample_manifest("amended"), 100);
  const auto record = read_run(run);
  EXPECT_EQ(record.steps.size(), 100u);
  EXPECT_EQ(record.timings.size(), 100u);
  EXPECT_EQ(record.evaluations.size(), 1u);
  EXPECT_EQ(record.manifest.title, "amended");
  EXPECT_FALSE(record.summary);
}

TEST_F(RunOnDisk, AResumedRunHasTheBytesOfTheUninterruptedOne) {
  fixtures::write_sample_run(run, 20);
  const auto whole = text_of(steps);
  {
    auto writer = RunFolder::reopen(run, sample_manifest(), 13);
    for (std::int64_t k = 13; k < 20; ++k) writer.append(sample_step(k));
    writer.flush();
  }
  EXPECT_EQ(text_of(steps), whole);
}

TEST_F(RunOnDisk, ReopenWorksWhereRecordsAreMissing) {
  RunFolder::create(run, sample_manifest());
  for (const auto* file : {"steps.jsonl", "timings.jsonl", "evaluations.jsonl"}) std::filesystem::remove(run / file);
  std::filesystem::remove(run / "checkpoint");
  auto writer = RunFolder::reopen(run, sample_manifest(), 5);
  writer.save_checkpoint(6, sample_tensors());
  EXPECT_TRUE(recorded_steps().empty());
  error_text(ErrorKind::checkpoint, [&] { RunFolder::reopen(folder / "nowhere", sample_manifest(), 0); });
}

TEST_F(RunOnDisk, ReopenRefusesARecordDamagedInTheMiddle) {
  fixtures::write_sample_run(run, 3);
  write_raw(steps, "broken\n" + text_of(steps));
  EXPECT_THAT(error_text(ErrorKind::data, [&] { RunFolder::reopen(run, sample_manifest(), 2); }), HasSubstr(":1:"));
}

TEST_F(RunOnDisk, ModelIsASafetensorsFile) {
  auto writer = RunFolder::create(run, sample_manifest());
  writer.save_model(sample_tensors());
  EXPECT_EQ(read_tensor_file(run / "model.safetensors", true).tensors.size(), 5u);
}

class CheckpointOnDisk : public RunOnDisk {
 protected:
  std::filesystem::path file(const std::string& number) const {
    return run / "checkpoint" / ("step-" + number + ".safetensors");
  }
  void damage(const std::string& number) const {
    auto bytes = text_of(file(number));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    write_raw(file(number), bytes);
  }

  std::optional<RunFolder> writer = RunFolder::create(run, sample_manifest());
};

TEST_F(CheckpointOnDisk, TheNewestTwoAreKept) {
  write_raw(run / "checkpoint/step-000000050.safetensors.99.tmp", "stale");
  write_raw(run / "checkpoint/notes.txt", "mine");
  for (const auto k : {100, 200, 300}) writer->save_checkpoint(k, sample_tensors(k));
  EXPECT_FALSE(std::filesystem::exists(file("000000100")));
  EXPECT_TRUE(std::filesystem::exists(file("000000200")));
  EXPECT_TRUE(std::filesystem::exists(file("000000300")));
  EXPECT_TRUE(std::filesystem::exists(run / "checkpoint/notes.txt"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run / "checkpoint"), {}), 3);
  const auto loaded = load_checkpoint(run);
  EXPECT_EQ(loaded.next_k, 300);
  EXPECT_EQ(loaded.warning, "");
  EXPECT_EQ(loaded.content.state["next_k"], 7);
}

TEST_F(CheckpointOnDisk, RecordsAreOnDiskBeforeTheCheckpoint) {
  writer->append(sample_step(0));
  writer->append(sample_timing(0));
  writer->save_checkpoint(1, sample_tensors());
  EXPECT_EQ(recorded_steps().size(), 1u);
}

TEST_F(CheckpointOnDisk, IterationsBeyondNineDigitsSortByNumber) {
  writer->save_checkpoint(999'999'999, sample_tensors());
  writer->save_checkpoint(1'000'000'000, sample_tensors());
  EXPECT_EQ(load_checkpoint(run).next_k, 1'000'000'000);
}

TEST_F(CheckpointOnDisk, ADamagedNewestFallsBackWithAWarning) {
  writer->save_checkpoint(100, sample_tensors());
  writer->save_checkpoint(200, sample_tensors());
  damage("000000200");
  const auto loaded = load_checkpoint(run);
  EXPECT_EQ(loaded.next_k, 100);
  EXPECT_THAT(loaded.warning, HasSubstr("step-000000200.safetensors"));
  EXPECT_THAT(loaded.warning, HasSubstr("iteration 100"));
}

TEST_F(CheckpointOnDisk, NoneThatIsWholeSaysToStartAnew) {
  EXPECT_THAT(error_text(ErrorKind::checkpoint, [&] { load_checkpoint(run); }), HasSubstr("Start a new run"));
  writer->save_checkpoint(100, sample_tensors());
  damage("000000100");
  EXPECT_THAT(error_text(ErrorKind::checkpoint, [&] { load_checkpoint(run); }), HasSubstr("step-000000100"));
  error_text(ErrorKind::checkpoint, [&] { load_checkpoint(folder / "nowhere"); });
}

TEST_F(CheckpointOnDisk, ForeignFilesDoNotConfuseIt) {
  writer->save_checkpoint(100, sample_tensors());
  for (const auto* name : {"step-.safetensors", "step-12x.safetensors", "step--5.safetensors", "step-999.txt",
                           "step-99999999999999999999999.safetensors", ".safetensors", "step-safetensors"}) {
    write_raw(run / "checkpoint" / name, "foreign");
  }
  std::filesystem::create_directory(file("000000900"));
  const auto loaded = load_checkpoint(run);
  EXPECT_EQ(loaded.next_k, 100);
  EXPECT_EQ(loaded.warning, "");
}

TEST_F(CheckpointOnDisk, ReopenDropsThoseOfIterationsComputedAgain) {
  writer->save_checkpoint(100, sample_tensors());
  writer->save_checkpoint(200, sample_tensors());
  writer.reset();
  RunFolder::reopen(run, sample_manifest(), 100);
  EXPECT_EQ(load_checkpoint(run).next_k, 100);
  EXPECT_FALSE(std::filesystem::exists(file("000000200")));
}

TEST_F(CheckpointOnDisk, KnowsTheRecordsThatItSaw) {
  for (const auto k : {0, 1, 2}) writer->append(sample_step(k));
  writer->save_checkpoint(2, sample_tensors());  // the record of iteration 2 is going to be computed again
  writer->append(sample_step(3));
  writer.reset();
  EXPECT_EQ(load_checkpoint(run).warning, "");
  RunFolder::reopen(run, sample_manifest(), 2);  // and is killed at once
  EXPECT_EQ(recorded_steps(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(load_checkpoint(run).warning, "");
}

TEST_F(CheckpointOnDisk, RecordsThatWereChangedAreNoticed) {
  writer->append(sample_step(0));
  writer->save_checkpoint(1, sample_tensors());
  writer->append(sample_step(1));
  writer->save_checkpoint(2, sample_tensors());
  writer.reset();
  const auto whole = text_of(steps);

  write_raw(steps, whole.substr(0, whole.size() - 5));  // behind the older of the two
  const auto older = load_checkpoint(run);
  EXPECT_EQ(older.next_k, 1);
  EXPECT_THAT(older.warning, HasSubstr("steps.jsonl has lost 5 of"));

  auto flipped = whole;
  flipped[flipped.find_first_of("123456789", flipped.find("losses"))] ^= 1;
  write_raw(steps, flipped);
  const auto message = error_text(ErrorKind::checkpoint, [&] { load_checkpoint(run); });
  EXPECT_THAT(message, HasSubstr("steps.jsonl was changed"));
  EXPECT_THAT(message, HasSubstr("--accept-damage"));
  const auto accepted = load_checkpoint(run, Damage::accept);
  EXPECT_EQ(accepted.next_k, 2);
  EXPECT_THAT(accepted.warning, HasSubstr("steps.jsonl was changed"));
  EXPECT_THAT(read_run(run).damage, ::testing::ElementsAre(HasSubstr("steps.jsonl was changed")));

  std::filesystem::remove(steps);
  EXPECT_THAT(read_run(run).damage, ::testing::ElementsAre(HasSubstr("steps.jsonl is missing")));
}

TEST_F(CheckpointOnDisk, OfAVersionWithoutDigestsIsTakenWithANote) {
  write_tensor_file(file("000000007"), sample_tensors());
  const auto loaded = load_checkpoint(run);
  EXPECT_EQ(loaded.next_k, 7);
  EXPECT_THAT(loaded.warning, HasSubstr("knows no digests"));
}

TEST_F(RunOnDisk, EveryChangeAfterItsEndIsNoticed) {
  fixtures::write_sample_run(run, 30);
  EXPECT_TRUE(read_run(run).damage.empty());
  for (const auto* name : {"steps.jsonl", "timings.jsonl", "evaluations.jsonl"}) {
    const auto whole = text_of(run / name);
    append_raw(run / name, "{}\n");
    EXPECT_THAT(damaged_records(run), ::testing::ElementsAre(HasSubstr(name)));
    for (std::size_t at = 0; at < whole.size(); at += 37) {
      auto changed = whole;
      changed[at] ^= 1;
      write_raw(run / name, changed);
      EXPECT_THAT(damaged_records(run), ::testing::ElementsAre(HasSubstr(name))) << at;
    }
    write_raw(run / name, whole);
  }
  for (const auto* name : {"manifest.json", "summary.json"}) {
    const auto whole = text_of(run / name);
    auto changed = whole;
    changed[changed.find_first_of("123456789")] ^= 1;
    write_raw(run / name, changed);
    EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("was changed after it was written"));
    write_raw(run / name, whole);
  }
}

TEST_F(RunOnDisk, HasOneWriter) {
  std::optional<RunFolder> writer = RunFolder::create(run, sample_manifest());
  for (const auto& open : std::vector<std::function<void()>>{[&] { RunFolder::reopen(run, sample_manifest(), 0); },
                                                             [&] { const FolderLock lock(run); }}) {
    const auto message = error_text(ErrorKind::config, open);
    EXPECT_THAT(message, HasSubstr(fmt::format("is being written by process {} on ", getpid())));
    EXPECT_THAT(message, HasSubstr("--out"));
  }
  writer.reset();
  EXPECT_FALSE(std::filesystem::exists(run / ".lock"));
  write_raw(run / ".lock", "process 1 on a machine that lost its power\n");
  RunFolder::reopen(run, sample_manifest(), 0);
}

TEST_F(RunOnDisk, ARefusedRunLeavesNoFolderBehind) {
  { const auto lock = RunFolder::lock_new(folder / "a/b/c"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_F(RunOnDisk, DeepNestingIsRefusedInWords) {
  fixtures::write_sample_run(run, 1);
  const auto nested = std::string(200'000, '[') + std::string(200'000, ']');
  write_raw(steps, nested + "\n{}\n");
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("steps.jsonl:1: is not JSON"));
  write_raw(run / "manifest.json", nested);
  EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("nested too deeply"));
}

TEST_F(RunOnDisk, APipeInPlaceOfARecordIsRefused) {
  for (const auto* name : {"steps.jsonl", "manifest.json"}) {
    fixtures::write_sample_run(run, 1);
    std::filesystem::remove(run / name);
    ASSERT_EQ(mkfifo((run / name).c_str(), 0600), 0);
    if (is_run_folder(run)) {
      EXPECT_THAT(error_text(ErrorKind::data, [&] { read_run(run); }), HasSubstr("is a pipe or a device"));
    }
    std::filesystem::remove_all(run);
  }
}

}  // namespace
}  // namespace moblo::records
