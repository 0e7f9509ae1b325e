#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A file of a data set.
struct DataSetFile {
    std::string path; ///< in the data set's folder, '/'-separated plain names
    std::uint64_t bytes = 0;
    std::string sha256; ///< as the manifest has it; the content was not read
};

/// The files of a data set's folder that its manifest.json names, and the manifest itself, which is the last.
struct DataSetContent {
    std::string id; ///< SHA-256 of manifest.json: same data set, same id, everywhere
    std::vector<DataSetFile> files;

    std::uint64_t bytes() const;
};

constexpr std::size_t kMaxDataSetFiles = 5'000; ///< what one message can list

/// Returns the files that a manifest names, without sizes; an empty hash where it has none. `name`: of the
/// manifest, for errors. BadInput when it is not a data set's.
Result<std::vector<DataSetFile>> filesNamedIn(const std::string& manifest, const std::string& name);

/// Reads the manifest, and hashes only what it has no hash of: the questions of older data sets. BadInput
/// when there is none, when a file of it is missing, or when it names a file outside the folder; Refused when
/// it names too many.
Result<DataSetContent> readDataSetContent(const std::filesystem::path& folder);

/// Returns the name of the folder below the agent's `data` that holds a data set: "wiki-128-0f3a9c21b7de", a
/// safe name made of `name` and the beginning of the id. A name that ends with that already stays.
std::string dataSetFolderName(std::string_view name, std::string_view id);

} // namespace trainyard
