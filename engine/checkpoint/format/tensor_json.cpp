#include "engine/checkpoint/format/tensor_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/file.h"

#include "engine/checkpoint/format/box_cover.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

namespace {

Json sliceToJson(const TensorSlice& slice)
{
    return {{"begin", slice.begin},   {"shape", slice.shape}, {"file", slice.file},
            {"offset", slice.offset}, {"bytes", slice.bytes}, {"xxh3", slice.xxh3}};
}

TensorSlice sliceFromJson(const Json& json)
{
    TensorSlice slice;
    json.at("begin").get_to(slice.begin);
    json.at("shape").get_to(slice.shape);
    json.at("file").get_to(slice.file);
    json.at("offset").get_to(slice.offset);
    json.at("bytes").get_to(slice.bytes);
    json.at("xxh3").get_to(slice.xxh3);
    return slice;
}

bool isInside(const TensorSlice& slice, const std::vector<std::int64_t>& shape)
{
    if (slice.begin.size() != shape.size() || slice.shape.size() != shape.size())
        return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (slice.begin[d] < 0 || slice.shape[d] < 0 || slice.begin[d] > shape[d] - slice.shape[d])
            return false;
    }
    return true;
}

std::uint64_t elements(const std::vector<std::int64_t>& shape)
{
    std::uint64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= static_cast<std::uint64_t>(extent);
    return count;
}

Status checkSlice(const LogicalTensor& tensor, const TensorSlice& slice)
{
    if (!isPlainName(slice.file))
        return badInput(fmt::format("tensor {}: \"{}\" is not the name of a file", tensor.name, slice.file));
    if (!isInside(slice, tensor.shape))
        return badInput(fmt::format("tensor {}: a slice extends beyond the tensor", tensor.name));
    if (slice.bytes != elements(slice.shape) * byteSize(tensor.type))
        return badInput(
            fmt::format("tensor {}: {} bytes do not fit the slice's shape", tensor.name, slice.bytes));
    return {};
}

Result<LogicalTensor> tensorFromJson(const Json& json)
{
    LogicalTensor tensor;
    json.at("name").get_to(tensor.name);
    json.at("shape").get_to(tensor.shape);
    const auto typeName = json.at("dtype").get<std::string>();
    const auto type = elementTypeFromName(typeName);
    if (!type)
        return badInput(fmt::format("tensor {}: element type {} is not supported", tensor.name, typeName));
    tensor.type = *type;
    for (const Json& slice : json.at("slices")) {
        tensor.slices.push_back(sliceFromJson(slice));
        TRAINYARD_TRY_STATUS(checkSlice(tensor, tensor.slices.back()));
    }
    return tensor;
}

Status checkCoverageOf(const LogicalTensor& tensor)
{
    std::vector<TensorBox> boxes;
    std::uint64_t covered = 0;
    for (const TensorSlice& slice : tensor.slices) {
        boxes.push_back({slice.begin, slice.shape});
        covered += elements(slice.shape);
    }
    // No overlap and as many elements as the tensor has: then every element is there once.
    if (anyOverlap(tensor.shape, boxes))
        return badInput(fmt::format("tensor {}: slices overlap", tensor.name));
    if (covered != elements(tensor.shape))
        return badInput(fmt::format("tensor {}: slices cover {} of {} elements", tensor.name, covered,
                                    elements(tensor.shape)));
    return {};
}

} // namespace

Json tensorsToJson(const std::vector<LogicalTensor>& tensors)
{
    Json list = Json::array();
    for (const LogicalTensor& tensor : tensors) {
        Json slices = Json::array();
        for (const TensorSlice& slice : tensor.slices)
            slices.push_back(sliceToJson(slice));
        list.push_back({{"name", tensor.name},
                        {"dtype", nameOf(tensor.type)},
                        {"shape", tensor.shape},
                        {"slices", std::move(slices)}});
    }
    return list;
}

Result<std::vector<LogicalTensor>> partialTensorsFromJson(const Json& json)
{
    std::vector<LogicalTensor> tensors;
    for (const Json& entry : json) {
        TRAINYARD_TRY(LogicalTensor tensor, tensorFromJson(entry));
        tensors.push_back(std::move(tensor));
    }
    std::ranges::sort(tensors, {}, &LogicalTensor::name);
    return tensors;
}

Result<std::vector<LogicalTensor>> tensorsFromJson(const Json& json)
{
    TRAINYARD_TRY(auto tensors, partialTensorsFromJson(json));
    TRAINYARD_TRY_STATUS(checkCoverage(tensors));
    return tensors;
}

Status checkCoverage(const std::vector<LogicalTensor>& tensors)
{
    for (const LogicalTensor& tensor : tensors)
        TRAINYARD_TRY_STATUS(checkCoverageOf(tensor));
    return {};
}

} // namespace trainyard
