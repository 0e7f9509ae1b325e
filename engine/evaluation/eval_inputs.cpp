#include "engine/evaluation/eval_inputs.h"

#include <numeric>

#include <ATen/ops/full.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/tensor_views.h"

namespace trainyard {

namespace {

constexpr std::int64_t kNoLabel = -100; // Hugging Face's mark

// Reads the tensors of one file; what is wrong with one is told with its name.
class InputReader {
public:
    explicit InputReader(const SafetensorsFile& file) : m_file(file) {}

    Result<at::Tensor> read(const char* name, const std::vector<std::int64_t>& shape) const
    {
        const TensorBytes* bytes = m_file.find(name);
        if (!bytes)
            return badInput(fmt::format("tensor {} is missing", name));
        if (bytes->shape != shape)
            return badInput(fmt::format("tensor {} has the shape [{}], not [{}]", name,
                                        fmt::join(bytes->shape, ", "), fmt::join(shape, ", ")));
        const at::Tensor values = tensorFrom(*bytes);
        if (!at::isIntegralType(values.scalar_type(), true))
            return badInput(fmt::format("tensor {} must hold integers", name));
        return values.to(at::kLong);
    }

    Result<at::Tensor> read(const char* name, const std::vector<std::int64_t>& shape,
                            std::int64_t below) const
    {
        TRAINYARD_TRY(at::Tensor values, read(name, shape));
        TRAINYARD_TRY_STATUS(checkRange(name, values, below));
        return values;
    }

    Result<at::Tensor> readOr(const char* name, const std::vector<std::int64_t>& shape, std::int64_t below,
                              std::int64_t valueWithout) const
    {
        if (!m_file.find(name))
            return at::full(shape, valueWithout, at::kLong);
        return read(name, shape, below);
    }

    static Status checkRange(const char* name, const at::Tensor& values, std::int64_t below)
    {
        if (values.numel() > 0 &&
            (values.min().item<std::int64_t>() < 0 || values.max().item<std::int64_t>() >= below))
            return badInput(fmt::format("tensor {} has values outside 0 to {}", name, below - 1));
        return {};
    }

private:
    const SafetensorsFile& m_file;
};

Result<std::vector<std::int64_t>> batchShape(const SafetensorsFile& file, const ModelSpec& model)
{
    const TensorBytes* ids = file.find("input_ids");
    if (!ids || ids->shape.size() != 2 || ids->shape[0] == 0 || ids->shape[1] == 0)
        return badInput("tensor input_ids [sequences, positions] is missing or empty");
    if (ids->shape[1] > model.maxPositions)
        return badInput(fmt::format("tensor input_ids has {} positions, but the model has {}", ids->shape[1],
                                    model.maxPositions));
    return ids->shape;
}

struct Targets {
    at::Tensor positions;
    at::Tensor labels;
};

// Where labels are, of an encoder at their own place, of a decoder one position before. The first label of a
// sequence is no decoder's target: nothing stands before it.
Targets targetsOf(const at::Tensor& labels_BS, ModelFamily family)
{
    const std::int64_t shift = family == ModelFamily::Gpt ? 1 : 0;
    at::Tensor isLabel_BS = labels_BS != kNoLabel;
    isLabel_BS.narrow(1, 0, shift).fill_(false);
    const at::Tensor places = isLabel_BS.flatten().nonzero().flatten();
    return {places - shift, labels_BS.flatten().index_select(0, places)};
}

Result<TokenBatch> batchFrom(const SafetensorsFile& file, const ModelSpec& model)
{
    TRAINYARD_TRY(const std::vector<std::int64_t> shape, batchShape(file, model));
    const InputReader reader(file);
    TokenBatch batch;
    TRAINYARD_TRY(batch.inputIds, reader.read("input_ids", shape, model.vocabulary));
    TRAINYARD_TRY(batch.attentionMask, reader.readOr("attention_mask", shape, 2, 1));
    if (model.tokenTypes > 0) {
        TRAINYARD_TRY(batch.tokenTypeIds, reader.readOr("token_type_ids", shape, model.tokenTypes, 0));
    }
    if (model.nextSentence) {
        TRAINYARD_TRY(batch.sequenceLabels, reader.read("next_sentence_label", {shape[0]}, 2));
    }
    TRAINYARD_TRY(const at::Tensor labels, reader.read("labels", shape));
    const Targets targets = targetsOf(labels, model.family);
    batch.targetPositions = targets.positions;
    batch.targets = targets.labels;
    TRAINYARD_TRY_STATUS(InputReader::checkRange("labels", batch.targets, model.vocabulary));
    if (batch.targetCount() == 0)
        return badInput("tensor labels has no label to predict");
    batch.sampleIndices.resize(static_cast<std::size_t>(shape[0]));
    std::iota(batch.sampleIndices.begin(), batch.sampleIndices.end(), std::uint64_t{0});
    return batch;
}

} // namespace

Result<TokenBatch> readEvalInputs(const std::filesystem::path& path, const ModelSpec& model)
{
    TRAINYARD_TRY(const SafetensorsFile file, SafetensorsFile::open(path));
    auto batch = batchFrom(file, model);
    return batch.ok() ? std::move(batch) : batch.error().in(path.string());
}

} // namespace trainyard
