#include "engine/checkpoint/format/checkpoint_reader.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/box_copy.h"

namespace trainyard {

namespace fs = std::filesystem;

CheckpointReader::CheckpointReader(fs::path folder, CheckpointManifest manifest, BroughtSlices brought)
    : m_folder(std::move(folder)), m_manifest(std::move(manifest)), m_brought(std::move(brought))
{
}

Result<CheckpointReader> CheckpointReader::open(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointManifest manifest, CheckpointManifest::load(folder / kManifestName));
    return CheckpointReader(folder, std::move(manifest));
}

Result<const StoredFile*> CheckpointReader::fileOf(const TensorSlice& slice)
{
    const bool isBrought = m_brought.slices.contains({slice.file, slice.offset});
    const fs::path path = (isBrought ? m_brought.folder : m_folder) / slice.file;
    const auto known = m_files.find(path);
    if (known != m_files.end())
        return &known->second;
    if (!isBrought && m_manifest.isElsewhere(m_folder, slice.file))
        return badInput(fmt::format("{} is not in {}: it was written on {}", slice.file, m_folder.string(),
                                    m_manifest.hostsOf(slice.file)),
                        "copy it from there into this folder");
    TRAINYARD_TRY(StoredFile file, StoredFile::open(path));
    return &m_files.emplace(path, std::move(file)).first->second;
}

Status CheckpointReader::readVerified(const LogicalTensor& tensor, const TensorSlice& slice,
                                      std::span<std::byte> out)
{
    TRAINYARD_TRY(const StoredFile* file, fileOf(slice));
    if (const Status status = file->read(slice.offset, out); !status.ok())
        return status.error().in("tensor " + tensor.name);
    const std::string hash = xxh3Hex({reinterpret_cast<const char*>(out.data()), out.size()});
    if (hash == slice.xxh3)
        return {};
    return badInput(fmt::format("tensor {}: {} is damaged: bytes {} to {} have the hash {}, not {}",
                                tensor.name, file->path().string(), slice.offset, slice.offset + slice.bytes,
                                hash, slice.xxh3),
                    "copy the file again, or resume from an older checkpoint");
}

std::vector<SliceFault> CheckpointReader::check(const std::vector<SliceInFile>& slices)
{
    std::vector<SliceFault> faults;
    std::vector<std::byte> buffer;
    for (const auto& [tensor, slice] : slices) {
        buffer.resize(slice->bytes);
        const Status status = readVerified(*tensor, *slice, buffer);
        if (!status.ok())
            faults.push_back({slice->file, slice->offset, status.error().kind != ErrorKind::BadInput,
                              status.error().message});
    }
    return faults;
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
        return refused(fmt::format("{}: there is no tensor {}", m_folder.string(), name));
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
