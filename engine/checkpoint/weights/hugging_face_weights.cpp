#include "engine/checkpoint/weights/hugging_face_weights.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/format/box_copy.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Element by element: `box` is of the logical tensor [out, in], and stored is [in, out].
void copyTransposed(const TensorBytes& stored, const TensorBox& box, std::span<std::byte> destination)
{
    const std::size_t element = byteSize(stored.type);
    std::byte* to = destination.data();
    for (std::int64_t row = 0; row < box.shape[0]; ++row) {
        for (std::int64_t column = 0; column < box.shape[1]; ++column, to += element) {
            const std::int64_t from = (box.begin[1] + column) * stored.shape[1] + box.begin[0] + row;
            std::memcpy(to, stored.bytes.data() + static_cast<std::size_t>(from) * element, element);
        }
    }
}

std::string_view textOf(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

std::vector<std::int64_t> HuggingFaceWeights::Stored::logicalShape() const
{
    std::vector<std::int64_t> shape = pieces.front().bytes.shape;
    if (transposed)
        std::ranges::reverse(shape);
    for (std::size_t i = 1; i < pieces.size(); ++i)
        shape.front() += pieces[i].bytes.shape.front();
    return shape;
}

Status HuggingFaceWeights::add(Content& content, const TensorBytes& bytes, const TensorRole& role,
                               bool transposed)
{
    Stored& stored = content.tensors[std::string(kWeightPrefix) + role.parameter];
    const auto place = std::ranges::lower_bound(stored.pieces, role.firstRow, {},
                                                [](const Piece& piece) { return piece.firstRow; });
    if (place != stored.pieces.end() && place->firstRow == role.firstRow)
        return badInput(fmt::format("tensor {} appears twice, under its old and new names", role.parameter));
    if (!stored.pieces.empty() && stored.pieces.front().bytes.type != bytes.type)
        return badInput(fmt::format("tensors {} and {} hold different types of numbers",
                                    stored.pieces.front().bytes.name, bytes.name),
                        "store all experts of a layer in one type");
    stored.pieces.insert(place, {bytes, role.firstRow});
    stored.transposed = transposed;
    return {};
}

Result<HuggingFaceWeights::Content> HuggingFaceWeights::contentOf(const HuggingFaceFolder& folder)
{
    Content content;
    for (const auto& [storedName, bytes] : folder.tensors()) {
        const TensorRole role = folder.roleOf(storedName);
        if (role.kind == TensorRole::Kind::Unused)
            continue;
        const std::string name = std::string(kWeightPrefix) + role.parameter;
        if (role.kind == TensorRole::Kind::Copy) {
            content.copies.emplace_back(bytes, name);
            continue;
        }
        const bool transposed = bytes.shape.size() == 2 && folder.architecture().isTransposed(role.parameter);
        TRAINYARD_TRY_STATUS(add(content, bytes, role, transposed));
    }
    return content;
}

Result<std::unique_ptr<WeightSource>> HuggingFaceWeights::open(const fs::path& folder)
{
    TRAINYARD_TRY(HuggingFaceFolder opened, HuggingFaceFolder::open(folder));
    auto content = contentOf(opened);
    if (!content.ok())
        return content.error().in(folder.string());
    WeightDescription description{.origin = "the Hugging Face model " + folder.string(),
                                  .model = opened.spec()};
    for (const auto& [name, stored] : content->tensors)
        description.tensors.push_back({name, stored.logicalShape(), stored.pieces.front().bytes.type});
    return std::unique_ptr<WeightSource>(
        new HuggingFaceWeights(std::move(opened), std::move(*content), std::move(description)));
}

HuggingFaceWeights::HuggingFaceWeights(HuggingFaceFolder folder, Content content,
                                       WeightDescription description)
    : WeightSource(std::move(description)), m_folder(std::move(folder)), m_content(std::move(content))
{
}

Status HuggingFaceWeights::read(const StoredTensor& tensor, const TensorBox& box,
                                std::span<std::byte> destination)
{
    const auto found = m_content.tensors.find(tensor.name);
    TRAINYARD_CHECK_MSG(found != m_content.tensors.end(), tensor.name);
    const auto& [pieces, transposed] = found->second;
    if (transposed) {
        copyTransposed(pieces.front().bytes, box, destination);
        return {};
    }
    for (const auto& [bytes, firstRow] : pieces) {
        std::vector<std::int64_t> begin(bytes.shape.size(), 0);
        if (!begin.empty())
            begin.front() = firstRow;
        copyOverlap({{begin, bytes.shape}, bytes.bytes}, {box, destination}, byteSize(bytes.type));
    }
    return {};
}

std::string HuggingFaceWeights::fingerprint() const
{
    Xxh3 hash;
    for (const auto& [name, stored] : m_content.tensors) {
        hash.update(name);
        for (const Piece& piece : stored.pieces)
            hash.update(textOf(piece.bytes.bytes));
    }
    return hash.hexDigest();
}

Status HuggingFaceWeights::checkContent() const
{
    for (const auto& [copy, name] : m_content.copies) {
        const auto tied = m_content.tensors.find(name);
        if (tied == m_content.tensors.end())
            continue; // the comparison with the model names what is missing
        const TensorBytes& original = tied->second.pieces.front().bytes;
        if (copy.type != original.type || !std::ranges::equal(copy.bytes, original.bytes))
            return badInput(fmt::format("{}: tensor {} differs from {}, to which it is tied",
                                        m_folder.path().string(), copy.name, original.name),
                            "set tie_word_embeddings to false in config.json if it is a separate tensor");
    }
    return {};
}

} // namespace trainyard
