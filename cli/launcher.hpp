#pragma once

namespace moblo::cli {

/// Replaces this process by the engine, the half of the program that needs torch, with the environment that its
/// libraries read when they load: the right BLAS kernel. Returns only by throwing.
[[noreturn]] void become_engine(char** argv);

}  // namespace moblo::cli
