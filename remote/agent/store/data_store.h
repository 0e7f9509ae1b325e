#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/store/blob_store.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard::agent {

/// A data set that a client sent here.
struct StoredDataSet {
    std::string name; ///< of its folder: "wiki-128-0f3a9c21b7de"
    std::string id;   ///< SHA-256 of its manifest.json
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
    std::chrono::seconds age{0}; ///< since it was sent
};

/// `data/<name>-<12 digits of the id>/`: data sets that clients have sent, files of the blob store under
/// their own names, as hard links. A folder that is there is whole.
class DataStore {
public:
    explicit DataStore(const std::filesystem::path& root) : m_folder(root / "data"), m_blobs(root) {}

    /// Publishes the data set atomically, as placeFiles(). BadInput when the folder's name is not
    /// dataSetFolderName() of something with this id, when the hash of "manifest.json" is not the id, when
    /// `files` lacks one that the manifest names, or a path would leave the folder.
    Result<bool> assemble(const std::string& name, const std::string& id,
                          const std::vector<BundleFile>& files) const;

    /// Copies a file of this host into the blob store, if it is not there. Failed when it does not have that
    /// hash.
    Status adopt(const std::filesystem::path& file, const std::string& sha256) const;

    std::filesystem::path folder(const std::string& name) const { return m_folder / name; }
    /// In order of name.
    std::vector<StoredDataSet> list() const;
    /// Removes the folder, out of sight in one instant, and the blobs that nothing else uses, as well as data
    /// sets whose removal was interrupted. Returns the freed bytes; 0 also when there is no such data set.
    /// `name` must be a plain name.
    Result<std::uint64_t> remove(const std::string& name) const;

private:
    Status checkComplete(const std::string& id, const std::vector<BundleFile>& files) const;
    Result<std::uint64_t> finishRemovals() const;
    Result<std::uint64_t> finishRemoval(const std::filesystem::path& hidden) const;

    std::filesystem::path m_folder;
    BlobStore m_blobs;
};

} // namespace trainyard::agent
