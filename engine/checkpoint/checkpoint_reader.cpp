#include "engine/checkpoint/checkpoint_reader.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/box_copy.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Status readExactly(int file, std::uint64_t offset, std::span<std::byte> out, const fs::path& name)
{
    while (!out.empty()) {
        const ssize_t got = ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
        if (got == 0)
            return badInput(fmt::format("{} ends at byte {}", name.string(), offset), "the file was cut off");
        if (got < 0 && errno != EINTR)
            return systemError(ErrorKind::BadInput, "cannot read " + name.string(), errno);
        if (got > 0) {
            offset += static_cast<std::uint64_t>(got);
            out = out.subspan(static_cast<std::size_t>(got));
        }
    }
    return {};
}

} // namespace

CheckpointReader::CheckpointReader(fs::path folder, CheckpointManifest manifest)
    : m_folder(std::move(folder)), m_manifest(std::move(manifest))
{
}

Result<CheckpointReader> CheckpointReader::open(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointManifest manifest, CheckpointManifest::load(folder / kManifestName));
    return CheckpointReader(folder, std::move(manifest));
}

Result<int> CheckpointReader::descriptorOf(const std::string& file)
{
    FileDescriptor& descriptor = m_files[file];
    if (!descriptor.valid())
        descriptor = FileDescriptor(::open((m_folder / file).c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor.valid())
        return systemError(ErrorKind::BadInput, "cannot open " + (m_folder / file).string(), errno);
    return descriptor.get();
}

Status CheckpointReader::readSlice(const LogicalTensor& tensor, const TensorSlice& slice,
                                   std::span<std::byte> destination)
{
    const fs::path path = m_folder / slice.file;
    TRAINYARD_TRY(const int file, descriptorOf(slice.file));
    const BoxCopy box(tensor.shape, slice.begin, slice.shape, byteSize(tensor.type));
    std::vector<std::byte> buffer(box.isContiguous() ? 0 : slice.bytes);
    const std::span<std::byte> target =
        box.isContiguous() ? destination.subspan(box.firstByte(), slice.bytes) : std::span<std::byte>(buffer);
    const Status status = readExactly(file, slice.offset, target, path);
    if (!status.ok())
        return status.error().in("tensor " + tensor.name);
    const std::string hash = xxh3Hex({reinterpret_cast<const char*>(target.data()), target.size()});
    if (hash != slice.xxh3)
        return badInput(fmt::format("tensor {}: {} is damaged: bytes {} to {} have the hash {}, not {}",
                                    tensor.name, path.string(), slice.offset, slice.offset + slice.bytes,
                                    hash, slice.xxh3),
                        "copy the file again, or resume from an older checkpoint");
    if (!box.isContiguous())
        box.scatter(target, destination);
    return {};
}

Status CheckpointReader::read(std::string_view name, std::span<std::byte> destination)
{
    const LogicalTensor* tensor = m_manifest.find(name);
    if (!tensor)
        return badInput(fmt::format("{}: there is no tensor {}", m_folder.string(), name));
    std::uint64_t covered = 0;
    for (const TensorSlice& slice : tensor->slices)
        covered += slice.bytes;
    TRAINYARD_CHECK_MSG(covered == destination.size(), tensor->name);
    for (const TensorSlice& slice : tensor->slices)
        TRAINYARD_TRY_STATUS(readSlice(*tensor, slice, destination));
    return {};
}

} // namespace trainyard
