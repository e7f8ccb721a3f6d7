#include "moblo/ranks/place.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "moblo/base/error.hpp"

namespace moblo::ranks {
namespace {

std::optional<Place> place_of(const std::map<std::string, std::string>& variables) {
  return place_from_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refusal_of(const std::map<std::string, std::string>& variables) {
  try {
    place_of(variables);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Place, IsNoneWithoutALauncher) {
  EXPECT_FALSE(place_of({}));
}

TEST(Place, IsNoneWhereALauncherStartedOneProcess) {
  EXPECT_FALSE(place_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
}

TEST(Place, IsReadFromTorchrun) {
  const auto place = place_of({{"RANK", "2"},
                               {"WORLD_SIZE", "4"},
                               {"MASTER_ADDR", "node7"},
                               {"MASTER_PORT", "1234"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 2);
  EXPECT_EQ(place->size, 4);
  EXPECT_EQ(place->address, "node7");
  EXPECT_EQ(place->port, 1234);
  EXPECT_TRUE(place->store_is_served);
}

TEST(Place, OfOpenMpiWinsOverSlurmInsideAnAllocation) {
  const auto place = place_of(
      {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->launcher, "Open MPI");
  EXPECT_EQ(place->rank, 1);
}

TEST(Place, OfSlurmMeetsOnItsFirstNodeAndIsTheSamePortForAllRanksOfAStep) {
  std::map<std::string, std::string> variables{{"SLURM_PROCID", "0"},
                                               {"SLURM_NTASKS", "3"},
                                               {"SLURM_JOB_ID", "77"},
                                               {"SLURM_JOB_NODELIST", "gpu[03-05,9],cpu1"}};
  const auto first = place_of(variables);
  variables["SLURM_PROCID"] = "2";
  const auto third = place_of(variables);
  ASSERT_TRUE(first && third);
  EXPECT_EQ(first->address, "gpu03");
  EXPECT_EQ(first->port, third->port);
  variables["SLURM_JOB_ID"] = "78";
  EXPECT_NE(first->port, place_of(variables)->port);
}

TEST(Place, OfAnSbatchScriptItselfIsNone) {
  EXPECT_FALSE(place_of({{"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "77"}}));
}

TEST(Place, RefusesContradictionsInWords) {
  EXPECT_NE(refusal_of({{"RANK", "0"}}).find("RANK without WORLD_SIZE"), std::string::npos);
  EXPECT_NE(refusal_of({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).find("from 0 to 3"), std::string::npos);
  EXPECT_NE(refusal_of({{"RANK", "0"}, {"WORLD_SIZE", "two"}}).find("WORLD_SIZE=two"), std::string::npos);
  EXPECT_NE(refusal_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}}).find("MASTER_PORT=70000"),
            std::string::npos);
}

TEST(Place, OfMpirunOnSeveralMachinesMustBeToldWhereRankZeroIs) {
  EXPECT_NE(
      refusal_of({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})
          .find("MASTER_ADDR"),
      std::string::npos);
}

TEST(FirstHost, ReadsSlurmsLists) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[07-12],other"), "node07");
  EXPECT_EQ(first_host("a,node[1-2]"), "a");
  EXPECT_EQ(first_host("rack[3,5]"), "rack3");
}

}  // namespace
}  // namespace moblo::ranks
