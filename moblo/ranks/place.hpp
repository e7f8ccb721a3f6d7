#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "moblo/base/export.hpp"

namespace moblo::ranks {

/// Where this process stands among those of one run, and where they meet.
struct MOBLO_API Place {
  int rank = 0, size = 1;
  std::string address = "127.0.0.1";  ///< of the machine of rank 0
  std::uint16_t port = 0;             ///< 0: any, for rank 0 alone
  bool store_is_served = false;       ///< by the launcher, at that port; otherwise rank 0 serves it
  std::string launcher;               ///< whose variables these are
};

using Variables = std::function<const char*(const char* name)>;  ///< std::getenv, or a test's

/// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (torchrun), else from Open MPI's variables, else from Slurm's, in
/// this order: mpirun within sbatch leaves SLURM_PROCID = 0 in every process. MASTER_ADDR and MASTER_PORT win over what
/// is derived from the job. Nothing where no launcher has started this process, or where it started one alone. Throws
/// Error(config) where variables contradict one another.
MOBLO_API std::optional<Place> place_from_environment(const Variables& variables);
MOBLO_API std::optional<Place> place_from_environment();

/// The first machine of a list as Slurm writes it: "node[01-04,7],gpu2" gives "node01".
MOBLO_API std::string first_host(const std::string& nodelist);

}  // namespace moblo::ranks
