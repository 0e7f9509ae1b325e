#include "engine/checkpoint/format/checkpoint_reader.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/box_copy.h"

namespace trainyard {

namespace fs = std::filesystem;

CheckpointReader::CheckpointReader(std::vector<fs::path> folders, CheckpointManifest manifest)
    : m_folders(std::move(folders)), m_manifest(std::move(manifest))
{
}

Result<CheckpointReader> CheckpointReader::open(const fs::path& folder)
{
    TRAINYARD_TRY(CheckpointManifest manifest, CheckpointManifest::load(folder / kManifestName));
    return CheckpointReader({folder}, std::move(manifest));
}

Result<const StoredFile*> CheckpointReader::fileNamed(const std::string& name)
{
    const auto known = m_files.find(name);
    if (known != m_files.end())
        return &known->second;
    fs::path folder = m_folders.back();
    for (const fs::path& other : m_folders) {
        if (std::error_code ignored; fs::exists(other / name, ignored)) {
            folder = other;
            break;
        }
    }
    if (m_manifest.isElsewhere(folder, name))
        return badInput(fmt::format("{} is not in {}: it was written on {}", name, folder.string(),
                                    m_manifest.hostsOf(name)),
                        "copy it from there into this folder");
    TRAINYARD_TRY(StoredFile file, StoredFile::open(folder / name));
    return &m_files.emplace(name, std::move(file)).first->second;
}

Status CheckpointReader::readVerified(const LogicalTensor& tensor, const TensorSlice& slice,
                                      std::span<std::byte> out)
{
    TRAINYARD_TRY(const StoredFile* file, fileNamed(slice.file));
    if (const Status status = file->read(slice.offset, out); !status.ok()) {
        m_damagedShard = slice.file;
        return status.error().in("tensor " + tensor.name);
    }
    const std::string hash = xxh3Hex({reinterpret_cast<const char*>(out.data()), out.size()});
    if (hash == slice.xxh3)
        return {};
    m_damagedShard = slice.file;
    return badInput(fmt::format("tensor {}: {} is damaged: bytes {} to {} have the hash {}, not {}",
                                tensor.name, file->path().string(), slice.offset, slice.offset + slice.bytes,
                                hash, slice.xxh3),
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
        return refused(fmt::format("{}: there is no tensor {}", m_folders.back().string(), name));
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
