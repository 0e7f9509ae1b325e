#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

class MappedFile;

/// Element types of the safetensors format that this program reads and writes.
enum class ElementType { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

std::size_t byteSize(ElementType type);
/// The format's spelling: "F64", "BF16", "BOOL".
std::string_view nameOf(ElementType type);
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// A tensor in memory or in a mapped file: row-major, little-endian, not owned.
struct TensorBytes {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
};

/// A read-only memory-mapped safetensors file. open() checks the header against the file's size, so that
/// views never reach outside; the content is read when it is touched. Any thread may read.
class SafetensorsFile {
public:
    /// BadInput naming the file, and the tensor where it is one's entry that is wrong.
    static Result<SafetensorsFile> open(const std::filesystem::path& file);
    /// Sorted by name. The views live as long as this object.
    const std::vector<TensorBytes>& tensors() const { return m_tensors; }
    const TensorBytes* find(std::string_view name) const;
    const std::map<std::string, std::string>& metadata() const { return m_metadata; }
    const std::filesystem::path& path() const { return m_path; }

private:
    SafetensorsFile() = default;

    std::filesystem::path m_path;
    std::shared_ptr<const MappedFile> m_mapped;
    std::vector<TensorBytes> m_tensors;
    std::map<std::string, std::string> m_metadata;
};

/// Where writeSafetensors put a tensor: offset of its first byte in the file.
struct WrittenTensor {
    std::string name;
    std::uint64_t offset = 0;
};

/// Writes `file` directly (the caller publishes it) and syncs it. Data start at a multiple of 64 bytes.
Result<std::vector<WrittenTensor>> writeSafetensors(const std::filesystem::path& file,
                                                    std::span<const TensorBytes> tensors,
                                                    const std::map<std::string, std::string>& metadata = {});

} // namespace trainyard
