#pragma once

#include <filesystem>

namespace moblo::cli {

/// Finds the engine and sets what its libraries read when they load: the right BLAS kernel.
std::filesystem::path prepare_engine();

/// Replaces this process by the engine, the half of the program that needs torch, prepared as
/// above. Returns only by throwing.
[[noreturn]] void become_engine(char** argv);

}  // namespace moblo::cli
