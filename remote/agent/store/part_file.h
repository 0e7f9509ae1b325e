#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "remote/agent/store/blob_store.h"
#include "remote/agent/store/block_sums.h"
#include "remote/agent/store/owner_file.h"

namespace trainyard::agent {

struct BlobUpload {
    std::string sha256;
    std::uint64_t size = 0;
    std::uint64_t offset = 0; ///< where the client goes on: what `have` answered
};

/// The verified prefix of a broken upload of this blob; 0 when there is none.
Result<std::uint64_t> verifiedPrefix(const BlobStore& store, const std::string& sha256);

/// One blob on its way into the store. Keeps the store's promise: the blob gets its final name only when all
/// its bytes are there, hash to its name and are on the disk. When another upload of the same blob is at
/// work, this one goes to a file of its own; whoever is done first publishes, and both succeed. One thread at
/// a time.
class PartFile {
public:
    /// Refused when the disk has no room for the rest (the message says needed and free bytes), or when
    /// `offset` is not within the verified prefix any more.
    static Result<std::unique_ptr<PartFile>> open(const BlobStore& store, const BlobUpload& upload);
    /// Of an upload that broke off, every byte that was appended can be gone on from.
    ~PartFile();

    /// Refused when the disk is full or more bytes come than the blob has.
    Status append(std::string_view bytes);
    bool complete() const { return m_size == m_upload.size; }

    /// Publishes. Requires complete(). Failed when the bytes do not hash to the blob's name; they are dropped
    /// then.
    Status finish();

private:
    PartFile(const BlobStore& store, BlobUpload upload) : m_store(store), m_upload(std::move(upload)) {}

    Status take();
    void onlyCount();
    Status takeShared();
    Result<bool> lockShared(const FileDescriptor& file);
    Status takePrivate();
    Status resumeFrom(int data);
    Status checkRoom() const;
    Error notWritten(const Error& error) const;
    Status sumBlocks();
    std::string contentHash();
    Status publish();

    BlobStore m_store;
    BlobUpload m_upload;
    std::filesystem::path m_path;
    FileDescriptor m_file;
    std::unique_ptr<BlockSums> m_sums; ///< none in a private file: nobody resumes it
    std::optional<OwnerFile> m_owner;  ///< instead of a lock where the file system has none
    Sha256 m_hash;
    std::string m_block; ///< bytes since the last whole block
    std::uint64_t m_size = 0;
    bool m_stored = false; ///< the blob is in the store already; bytes are only counted
};

} // namespace trainyard::agent
