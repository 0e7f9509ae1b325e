#include "engine/checkpoint/format/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/mapped_file.h"
#include "engine/checkpoint/format/direct_file.h"
#include "engine/checkpoint/format/watched_writing.h"

namespace trainyard {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace fs = std::filesystem;

namespace {

struct TypeName {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array<TypeName, 10> kTypes{{
    {ElementType::F64, "F64", 8},
    {ElementType::F32, "F32", 4},
    {ElementType::F16, "F16", 2},
    {ElementType::BF16, "BF16", 2},
    {ElementType::I64, "I64", 8},
    {ElementType::I32, "I32", 4},
    {ElementType::I16, "I16", 2},
    {ElementType::I8, "I8", 1},
    {ElementType::U8, "U8", 1},
    {ElementType::Bool, "BOOL", 1},
}};

const TypeName& row(ElementType type)
{
    return *std::find_if(kTypes.begin(), kTypes.end(),
                         [&](const TypeName& known) { return known.type == type; });
}

} // namespace

std::size_t byteSize(ElementType type)
{
    return row(type).bytes;
}

std::string_view nameOf(ElementType type)
{
    return row(type).name;
}

std::optional<ElementType> elementTypeFromName(std::string_view name)
{
    for (const TypeName& known : kTypes) {
        if (known.name == name)
            return known.type;
    }
    return std::nullopt;
}

namespace {

using Json = nlohmann::json;

struct Layout {
    Json header;
    std::span<const std::byte> data;
};

// [u64 length of the header][header as JSON][data]
Result<Layout> split(std::span<const std::byte> file)
{
    std::uint64_t headerBytes = 0;
    if (file.size() < sizeof headerBytes)
        return badInput("too short for a safetensors file");
    std::memcpy(&headerBytes, file.data(), sizeof headerBytes);
    if (headerBytes > file.size() - sizeof headerBytes)
        return badInput(
            fmt::format("the header should have {} bytes, but the file ends earlier", headerBytes));
    const auto* text = reinterpret_cast<const char*>(file.data()) + sizeof headerBytes;
    Json header = Json::parse(text, text + headerBytes, nullptr, false);
    if (!header.is_object())
        return badInput("the header is not a JSON object");
    return Layout{std::move(header), file.subspan(sizeof headerBytes + headerBytes)};
}

// nlohmann reads what has another type only by throwing; here it is a wrong entry like any other.
template <typename T>
std::optional<T> valueAs(const Json& entry, const char* key)
{
    try {
        return entry.at(key).get<T>();
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

// Bytes of a tensor of that shape, or nothing where the number would not fit.
std::optional<std::uint64_t> bytesOf(ElementType type, const std::vector<std::int64_t>& shape)
{
    std::uint64_t bytes = byteSize(type);
    for (const std::int64_t extent : shape) {
        if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes))
            return std::nullopt;
    }
    return bytes;
}

Result<TensorBytes> readEntry(const std::string& name, const Json& entry, std::span<const std::byte> data)
{
    const auto type = valueAs<std::string>(entry, "dtype");
    const auto shape = valueAs<std::vector<std::int64_t>>(entry, "shape");
    const auto offsets = valueAs<std::array<std::uint64_t, 2>>(entry, "data_offsets");
    if (!type || !shape || !offsets)
        return badInput(fmt::format("tensor {}: the entry needs dtype, shape and data_offsets", name));
    const auto elementType = elementTypeFromName(*type);
    if (!elementType)
        return badInput(fmt::format("tensor {}: element type {} is not supported", name, *type));
    const auto [begin, end] = *offsets;
    if (begin > end || end > data.size())
        return badInput(fmt::format("tensor {}: bytes {} to {} are outside the data ({} bytes)", name, begin,
                                    end, data.size()),
                        "the file may be truncated; copy it again");
    if (bytesOf(*elementType, *shape) != end - begin)
        return badInput(fmt::format("tensor {}: {} bytes do not fit its shape and type", name, end - begin));
    return TensorBytes{name, *elementType, *shape, data.subspan(begin, end - begin)};
}

} // namespace

Result<SafetensorsFile> SafetensorsFile::open(const fs::path& path)
{
    SafetensorsFile file;
    file.m_path = path;
    TRAINYARD_TRY(file.m_mapped, MappedFile::open(path));
    if (file.m_mapped->bytes().empty())
        return badInput(path.string() + ": the file is empty");
    auto layout = split(std::as_bytes(std::span(file.m_mapped->bytes())));
    if (!layout.ok())
        return layout.error().in(path.string());
    for (const auto& [name, entry] : layout->header.items()) {
        if (name == "__metadata__") {
            if (auto values = valueAs<std::map<std::string, std::string>>(layout->header, "__metadata__"))
                file.m_metadata = std::move(*values);
            continue;
        }
        auto tensor = readEntry(name, entry, layout->data);
        if (!tensor.ok())
            return tensor.error().in(path.string());
        file.m_tensors.push_back(std::move(tensor).value());
    }
    std::ranges::sort(file.m_tensors, {}, &TensorBytes::name);
    return file;
}

const TensorBytes* SafetensorsFile::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(m_tensors, name, {}, &TensorBytes::name);
    return found != m_tensors.end() && found->name == name ? &*found : nullptr;
}

namespace {

constexpr std::uint64_t kAlignment = 64;

std::string headerFor(std::span<const TensorBytes> tensors,
                      const std::map<std::string, std::string>& metadata)
{
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const TensorBytes& tensor : tensors) {
        const std::uint64_t end = offset + tensor.bytes.size();
        header[tensor.name] = {
            {"dtype", nameOf(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    const std::uint64_t unaligned = (sizeof(std::uint64_t) + text.size()) % kAlignment;
    text.append(unaligned == 0 ? 0 : kAlignment - unaligned, ' '); // the format allows trailing spaces
    return text;
}

} // namespace

Result<std::vector<WrittenTensor>> writeSafetensors(const fs::path& path,
                                                    std::span<const TensorBytes> tensors,
                                                    const std::map<std::string, std::string>& metadata)
{
    return writeSafetensorsWatched(path, tensors, metadata, [](const TensorBytes&) { return Status(); });
}

Result<std::vector<WrittenTensor>>
writeSafetensorsWatched(const fs::path& path, std::span<const TensorBytes> tensors,
                        const std::map<std::string, std::string>& metadata,
                        const std::function<Status(const TensorBytes&)>& before)
{
    const std::string header = headerFor(tensors, metadata);
    const std::uint64_t headerBytes = header.size();
    std::vector<WrittenTensor> written;
    std::uint64_t offset = sizeof headerBytes + headerBytes;
    for (const TensorBytes& tensor : tensors) {
        written.push_back({tensor.name, offset});
        offset += tensor.bytes.size();
    }
    TRAINYARD_TRY(DirectFile file, DirectFile::create(path, offset));
    TRAINYARD_TRY_STATUS(file.append(std::as_bytes(std::span(&headerBytes, 1))));
    TRAINYARD_TRY_STATUS(file.append(header));
    for (const TensorBytes& tensor : tensors) {
        TRAINYARD_TRY_STATUS(before(tensor));
        TRAINYARD_TRY_STATUS(file.append(tensor.bytes));
    }
    TRAINYARD_TRY_STATUS(file.finish());
    return written;
}

} // namespace trainyard
