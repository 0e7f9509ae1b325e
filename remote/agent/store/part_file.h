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

/// Returns the verified length of an interrupted upload of this blob; 0 when there is none.
Result<std::uint64_t> verifiedPrefix(const BlobStore& store, const std::string& sha256);

/// One blob on its way into the store. The blob gets its final name only when all its bytes have arrived,
/// match its hash and are synced. When another upload of the same blob is active, this one uses a separate
/// file; the first to finish publishes, and both succeed. One thread at a time.
class PartFile {
public:
    /// Refused when the disk lacks space for the rest (the message states needed and free bytes), or when
    /// `offset` is no longer within the verified prefix.
    static Result<std::unique_ptr<PartFile>> open(const BlobStore& store, const BlobUpload& upload);
    /// Closes the file; an interrupted upload can resume after every appended byte.
    ~PartFile();

    /// Refused when the disk is full or more bytes come than the blob has.
    Status append(std::string_view bytes);
    bool complete() const { return m_size == m_upload.size; }

    /// Publishes the blob. Requires complete(). Failed when the bytes do not match the blob's hash; they are
    /// discarded then.
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
