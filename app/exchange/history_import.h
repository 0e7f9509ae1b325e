#pragma once

#include <filesystem>
#include <span>

#include <QStringList>

#include "app/exchange/loaded_run.h"

namespace trainyard {

class RunLibrary;

/// Makes runs of the history out of loaded ones: their folders appear in `runsFolder`, and their entries with
/// `tags`. All of them or none: when one cannot be made, or the history takes no entry, what is there already
/// is taken back. Gives their ids in the same order.
Result<QStringList> importIntoHistory(RunLibrary& history, const std::filesystem::path& runsFolder,
                                      std::span<const LoadedRun> runs, const QStringList& tags);

} // namespace trainyard
