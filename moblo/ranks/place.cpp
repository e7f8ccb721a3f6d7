#include "moblo/ranks/place.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "moblo/base/error.hpp"

namespace moblo::ranks {
namespace {

struct Launcher {
  const char *name, *rank, *size;
};

constexpr Launcher launchers[] = {{"torchrun", "RANK", "WORLD_SIZE"},
                                  {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"}};

[[noreturn]] void refuse(const std::string& given, const std::string& rule, const std::string& next) {
  throw Error(ErrorKind::config, given, rule, next);
}

std::int64_t whole_number(const char* name, const char* text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const std::string_view view(text);
  const auto [end, failure] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (failure == std::errc() && end == view.data() + view.size() && value >= least && value <= most) return value;
  refuse(fmt::format("{}={}", name, text), fmt::format("must be a whole number from {} to {}", least, most),
         "Start the program through torchrun, mpirun or srun, or unset the variable");
}

/// The ranks of one job derive the same port, and two jobs of one machine hardly the same.
std::uint16_t port_of_job(const Variables& variables) {
  for (const auto* name : {"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_orte_ess_jobid"}) {
    const auto* text = variables(name);
    if (!text) continue;
    std::uint32_t hash = 2166136261u;  // FNV-1a
    for (const char c : std::string(text) + (variables("SLURM_STEP_ID") ? variables("SLURM_STEP_ID") : "")) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    return static_cast<std::uint16_t>(20000 + hash % 10000);
  }
  return 29500;
}

std::string address_of_job(const Launcher& launcher, const Variables& variables) {
  if (launcher.name != std::string_view("Slurm")) return "127.0.0.1";
  for (const auto* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (const auto* hosts = variables(name)) return first_host(hosts);
  }
  return "127.0.0.1";
}

/// mpirun tells nobody where rank 0 runs.
void refuse_unknown_address(const Launcher& launcher, const Variables& variables, int size) {
  const auto* here = variables("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (launcher.name != std::string_view("Open MPI") || !here || std::atoi(here) == size) return;
  refuse("mpirun on several machines", "does not say where rank 0 is",
         "Give it: mpirun -x MASTER_ADDR=HOST -x MASTER_PORT=29500 ..., with HOST the machine of rank 0");
}

}  // namespace

std::string first_host(const std::string& nodelist) {
  const auto bracket = nodelist.find('['), comma = nodelist.find(',');
  if (bracket == std::string::npos || comma < bracket) return nodelist.substr(0, comma);
  const auto end = nodelist.find_first_of("-,]", bracket);
  return nodelist.substr(0, bracket) + nodelist.substr(bracket + 1, end - bracket - 1);
}

std::optional<Place> place_from_environment(const Variables& variables) {
  for (const auto& launcher : launchers) {
    const auto *rank = variables(launcher.rank), *size = variables(launcher.size);
    if (!rank && !size) continue;
    if (!rank || !size) {
      // sbatch sets SLURM_NTASKS and no rank for its script, which is one process.
      if (launcher.name == std::string_view("Slurm")) continue;
      refuse(fmt::format("{} without {}", rank ? launcher.rank : launcher.size, rank ? launcher.size : launcher.rank),
             "says only half of where this process stands", "Set both, or none");
    }
    Place place;
    place.size = static_cast<int>(whole_number(launcher.size, size, 1, 1 << 20));
    place.rank = static_cast<int>(whole_number(launcher.rank, rank, 0, place.size - 1));
    if (place.size == 1) return std::nullopt;
    place.launcher = launcher.name;
    const auto *address = variables("MASTER_ADDR"), *port = variables("MASTER_PORT");
    if (!address) refuse_unknown_address(launcher, variables, place.size);
    place.address = address ? address : address_of_job(launcher, variables);
    place.port =
        port ? static_cast<std::uint16_t>(whole_number("MASTER_PORT", port, 1, 65535)) : port_of_job(variables);
    const auto* served = variables("TORCHELASTIC_USE_AGENT_STORE");
    place.store_is_served = served && served == std::string_view("True");
    return place;
  }
  return std::nullopt;
}

std::optional<Place> place_from_environment() {
  return place_from_environment([](const char* name) { return std::getenv(name); });
}

}  // namespace moblo::ranks
