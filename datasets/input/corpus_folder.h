#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// The files of a folder that are a corpus.
struct FolderFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> leftOut; ///< of other splits than the training split; relative to the folder
};

/// Finds the files of a data set as Hugging Face's `datasets` stores it: the .arrow files that state.json
/// lists, those of the split "train" of a saved dictionary, or else all .parquet, .arrow and .jsonl (also
/// .gz, .zst) files below the folder, by name. Files whose names say that they are another split than "train"
/// are left out, as are results of `map` in its cache. BadInput if nothing remains.
Result<FolderFiles> filesOfFolder(const std::filesystem::path& folder);

} // namespace trainyard
