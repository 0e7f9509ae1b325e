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

Status CheckpointReader::readVerified(const LogicalTensor& tensor, const TensorSlice& slice,
                                      std::span<std::byte> out)
{
    const fs::path path = m_folder / slice.file;
    TRAINYARD_TRY(const int file, descriptorOf(slice.file));
    if (const Status status = readExactly(file, slice.offset, out, path); !status.ok())
        return status.error().in("tensor " + tensor.name);
    const std::string hash = xxh3Hex({reinterpret_cast<const char*>(out.data()), out.size()});
    if (hash == slice.xxh3)
        return {};
    return badInput(fmt::format("tensor {}: {} is damaged: bytes {} to {} have the hash {}, not {}",
                                tensor.name, path.string(), slice.offset, slice.offset + slice.bytes, hash,
                                slice.xxh3),
                    "copy the file again, or resume from an older checkpoint");
}

// Straight into the target where the slice is all of it.
Status CheckpointReader::readSlice(const LogicalTensor& tensor, const TensorSlice& slice,
                                   const BoxView<std::byte>& target)
{
    const TensorBox box{slice.begin, slice.shape};
    if (box == target.box)
        return readVerified(tensor, slice, target.bytes);
    std::vector<std::byte> buffer(slice.bytes);
    TRAINYARD_TRY_STATUS(readVerified(tensor, slice, buffer));
    copyOverlap({box, buffer}, target, byteSize(tensor.type));
    return {};
}

Status CheckpointReader::read(std::string_view name, std::span<std::byte> destination)
{
    const LogicalTensor* tensor = m_manifest.find(name);
    const std::vector<std::int64_t> shape = tensor ? tensor->shape : std::vector<std::int64_t>();
    return read(name, {std::vector<std::int64_t>(shape.size(), 0), shape}, destination);
}

Status CheckpointReader::read(std::string_view name, const TensorBox& box, std::span<std::byte> destination)
{
    const LogicalTensor* tensor = m_manifest.find(name);
    if (!tensor)
        return badInput(fmt::format("{}: there is no tensor {}", m_folder.string(), name));
    TRAINYARD_CHECK_MSG(static_cast<std::size_t>(elementCount(box.shape)) * byteSize(tensor->type) ==
                            destination.size(),
                        tensor->name);
    for (const TensorSlice& slice : tensor->slices) {
        if (overlap({slice.begin, slice.shape}, box))
            TRAINYARD_TRY_STATUS(readSlice(*tensor, slice, {box, destination}));
    }
    return {};
}

} // namespace trainyard
