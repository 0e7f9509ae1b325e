#include "remote/agent/store/part_file.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/lock_file.h"
#include "remote/agent/host/machine.h"

namespace trainyard::agent {

namespace {

constexpr mode_t kBlobMode = 0444;

FileDescriptor openForWriting(const std::filesystem::path& path, int extraFlags)
{
    return FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | extraFlags, 0600));
}

std::filesystem::path privatePath(const BlobStore& store, const std::string& sha256)
{
    static std::atomic<int> counter{0};
    return store.blob(sha256) += fmt::format(".{}-{}.part", ::getpid(), ++counter);
}

/// `folder` is one that is there: the agent's own.
Error noRoom(const std::filesystem::path& folder, std::uint64_t needed)
{
    const auto known = diskSpace(folder);
    const DiskSpace space = known.ok() ? *known : DiskSpace{};
    return refused(fmt::format("no space left at {}: needs {} ({} bytes), free {} ({} bytes), {} files more",
                               folder.string(), formatBytes(needed), needed, formatBytes(space.free),
                               space.free, space.inodesFree),
                   "free space on that disk or choose another folder for the agent");
}

/// The error, or what is behind it: a disk without room for so many bytes, or for another file.
Error explained(const Error& error, const std::filesystem::path& folder, std::uint64_t needed)
{
    const auto space = diskSpace(folder);
    const bool full = error.kind == ErrorKind::Failed && space.ok() &&
                      (space->free < std::min<std::uint64_t>(needed, kBlock) ||
                       (space->inodesTotal > 0 && space->inodesFree == 0));
    return full ? noRoom(folder, needed) : error;
}

} // namespace

Result<std::uint64_t> verifiedPrefix(const BlobStore& store, const std::string& sha256)
{
    const FileDescriptor data(::open(store.partial(sha256).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!data.valid())
        return std::uint64_t{0};
    return BlockSums::read(store.sums(sha256)).verify(data.get(), UINT64_MAX, [](std::string_view) {});
}

Result<std::unique_ptr<PartFile>> PartFile::open(const BlobStore& store, const BlobUpload& upload)
{
    std::unique_ptr<PartFile> part(new PartFile(store, upload));
    const Status taken = store.verifyOrRemove(upload.sha256) ? Status() : part->take();
    // Asked again after the preparation: a racing upload may have published in between.
    if (store.verifyOrRemove(upload.sha256)) {
        part->onlyCount();
        return part;
    }
    if (!taken.ok())
        return explained(taken.error(), store.root(), upload.size);
    return part;
}

PartFile::~PartFile()
{
    if (!m_file.valid())
        return;
    if (!m_sums)
        ::unlink(m_path.c_str());
    else if (!m_block.empty())
        static_cast<void>(m_sums->append(m_block)); // without its sum the tail comes again
}

Status PartFile::take()
{
    TRAINYARD_TRY_STATUS(m_store.makeFolderFor(m_upload.sha256));
    TRAINYARD_TRY_STATUS(takeShared());
    if (!m_file.valid())
        TRAINYARD_TRY_STATUS(takePrivate());
    return checkRoom();
}

void PartFile::onlyCount()
{
    if (m_file.valid())
        ::unlink(m_path.c_str());
    if (m_sums)
        ::unlink(m_store.sums(m_upload.sha256).c_str());
    m_sums.reset();
    m_file.reset();
    m_stored = true;
    m_size = m_upload.offset;
}

/// Leaves m_file invalid when another upload holds the part file.
Status PartFile::takeShared()
{
    m_path = m_store.partial(m_upload.sha256);
    FileDescriptor file = openForWriting(m_path, 0);
    if (!file.valid())
        return systemError(ErrorKind::Failed, "cannot open " + m_path.string(), errno);
    TRAINYARD_TRY(const bool locked, lockShared(file));
    // The last holder of the lock may have renamed or removed this file while we waited to open it.
    if (!locked || !isStillNamed(file.get(), m_path))
        return {};
    TRAINYARD_TRY(BlockSums sums, BlockSums::open(m_store.sums(m_upload.sha256)));
    m_sums = std::make_unique<BlockSums>(std::move(sums));
    TRAINYARD_TRY_STATUS(resumeFrom(file.get()));
    m_file = std::move(file);
    if (::ftruncate(m_file.get(), static_cast<off_t>(m_size)) != 0)
        return systemError(ErrorKind::Failed, "cannot truncate " + m_path.string(), errno);
    return m_sums->truncate(m_size / kBlock);
}

Result<bool> PartFile::lockShared(const FileDescriptor& file)
{
    if (const auto locked = tryLock(file.get()); locked.ok())
        return *locked;
    TRAINYARD_TRY(auto owner, OwnerFile::tryAcquire(std::filesystem::path(m_path) += ".owner"));
    if (owner)
        m_owner.emplace(std::move(*owner));
    return m_owner.has_value();
}

Status PartFile::takePrivate()
{
    const FileDescriptor shared(
        ::open(m_store.partial(m_upload.sha256).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    m_path = privatePath(m_store, m_upload.sha256);
    m_owner.reset();
    m_file = openForWriting(m_path, O_EXCL);
    if (!m_file.valid())
        return systemError(ErrorKind::Failed, "cannot open " + m_path.string(), errno);
    if (m_upload.offset == 0)
        return {};
    const BlockSums sums = BlockSums::read(m_store.sums(m_upload.sha256));
    Status copied;
    TRAINYARD_TRY(m_size, sums.verify(shared.get(), m_upload.offset, [&](std::string_view block) {
        m_hash.update(block);
        if (copied.ok())
            copied = writeAll(m_file.get(), block, m_path);
    }));
    TRAINYARD_TRY_STATUS(copied);
    if (m_size != m_upload.offset)
        return refused("another upload of the same blob is in progress and has changed the partial file",
                       "send \"have\" again");
    return {};
}

Status PartFile::resumeFrom(int data)
{
    TRAINYARD_TRY(m_size, m_sums->verify(data, m_upload.offset, [&](std::string_view block) {
        m_hash.update(block);
        m_block = block.size() < kBlock ? block : std::string_view(); // a tail goes on growing
    }));
    if (m_size != m_upload.offset)
        return refused(fmt::format("only {} of the first {} bytes are here", m_size, m_upload.offset),
                       "send \"have\" again");
    if (::lseek(data, static_cast<off_t>(m_size), SEEK_SET) < 0)
        return systemError(ErrorKind::Failed, "cannot seek in " + m_path.string(), errno);
    return {};
}

Status PartFile::checkRoom() const
{
    const std::uint64_t needed = m_upload.size - m_size;
    TRAINYARD_TRY(const DiskSpace space, diskSpace(m_store.root()));
    if (space.free < needed)
        return noRoom(m_store.root(), needed);
    return {};
}

Status PartFile::append(std::string_view bytes)
{
    if (m_size + bytes.size() > m_upload.size)
        return badInput(fmt::format("received more bytes than the blob's {}", m_upload.size));
    if (!m_stored) {
        const Status written = writeAll(m_file.get(), bytes, m_path);
        if (!written.ok())
            return notWritten(written.error());
    }
    m_size += bytes.size();
    if (m_stored)
        return {};
    if (m_owner)
        m_owner->refresh();
    m_hash.update(bytes);
    m_block.append(bytes);
    return sumBlocks();
}

/// What is in the file stays what was summed, so that the upload can go on from there.
Error PartFile::notWritten(const Error& error) const
{
    const Error explanation = explained(error, m_store.root(), m_upload.size - m_size);
    if (::ftruncate(m_file.get(), static_cast<off_t>(m_size)) != 0)
        return error;
    return explanation;
}

Status PartFile::sumBlocks()
{
    std::size_t at = 0;
    for (; m_sums && m_block.size() - at >= kBlock; at += kBlock)
        TRAINYARD_TRY_STATUS(m_sums->append(std::string_view(m_block).substr(at, kBlock)));
    m_block.erase(0, m_sums ? at : m_block.size());
    return {};
}

Status PartFile::finish()
{
    TRAINYARD_CHECK(complete());
    if (m_stored)
        return {};
    const std::string found = contentHash();
    if (found == m_upload.sha256)
        return publish();
    ::unlink(m_path.c_str());
    ::unlink(m_store.sums(m_upload.sha256).c_str());
    m_file.reset();
    return failed(fmt::format("the {} bytes of blob {} arrived, but hash to {}", m_upload.size,
                              m_upload.sha256.substr(0, 12), found.substr(0, 12)),
                  "send it again from the start");
}

/// An owner file keeps others out less surely than a lock, so what counts then is what the disk has.
std::string PartFile::contentHash()
{
    if (!m_owner)
        return m_hash.hexDigest();
    const auto hash = sha256OfFile(m_path);
    return hash.ok() ? *hash : hash.error().message;
}

Status PartFile::publish()
{
    // Sealed, synced, renamed: a blob under its final name is complete even after a crash.
    seal(m_file.get());
    if (::fchmod(m_file.get(), kBlobMode) != 0 || ::fsync(m_file.get()) != 0)
        return systemError(ErrorKind::Failed, "cannot sync " + m_path.string() + " to disk", errno);
    // A rename over the same content by a racing upload changes nothing that anybody can see.
    if (::rename(m_path.c_str(), m_store.blob(m_upload.sha256).c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot publish " + m_path.string(), errno);
    if (m_sums)
        ::unlink(m_store.sums(m_upload.sha256).c_str()); // while the part is ours
    m_file.reset();
    return syncPath(m_path.parent_path());
}

} // namespace trainyard::agent
