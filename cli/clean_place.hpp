#pragma once

#include <filesystem>

#include "cli/arguments.hpp"
#include "lab/clean/clean_options.hpp"
#include "moblo/base/json.hpp"
#include "moblo/records/folder_lock.hpp"

namespace moblo::cli {

lab::clean::CleanOptions clean_options(const CleanArguments& arguments);

/// What the results say of how they came about.
Json about_clean(const CleanArguments& arguments);

/// The folder of a `clean`, held by this process alone, and what is asked there.
struct CleanPlace {
  records::FolderLock lock;
  CleanArguments arguments;     ///< with --resume those that it was begun with, threads and manners apart
  std::filesystem::path where;  ///< relative paths of data start here; empty for the working directory
  Json asked;                   ///< everything that decides a number, but for the data where it is to begin
  bool begun = false;           ///< by an earlier process
  bool finished = false;        ///< all results are there; what helped to find them may be, too

  const std::filesystem::path& folder() const { return lock.folder(); }
};

/// What a user could have typed, but for --out, --resume and --checked.
std::string typed_command(const CleanPlace& place);

/// Looks at --resume, --out or the next free folder, before any data are read. Refuses, in words, whatever holds other
/// work: a run, an experiment, a finished `clean`, an unfinished one of other arguments, a file that would be
/// overwritten. A folder that is made here and stays empty is removed again.
CleanPlace enter_clean_place(const CleanArguments& arguments);

/// The data that a `clean` goes on with are those that it was begun with; one that begins remembers them.
void settle_data(CleanPlace& place, const std::string& digest);

}  // namespace moblo::cli
