#include "engine/evaluation/eval_inputs.h"

#include <numeric>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
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

    Result<at::Tensor> readNumbers(const char* name, const std::vector<std::int64_t>& shape) const
    {
        TRAINYARD_TRY(const at::Tensor values, readAny(name, shape));
        return values.to(at::kDouble);
    }

    Result<at::Tensor> read(const char* name, const std::vector<std::int64_t>& shape) const
    {
        TRAINYARD_TRY(const at::Tensor values, readAny(name, shape));
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
    Result<at::Tensor> readAny(const char* name, const std::vector<std::int64_t>& shape) const
    {
        const TensorBytes* bytes = m_file.find(name);
        if (!bytes)
            return badInput(fmt::format("tensor {} is missing", name));
        if (bytes->shape != shape)
            return badInput(fmt::format("tensor {} has the shape [{}], not [{}]", name,
                                        fmt::join(bytes->shape, ", "), fmt::join(shape, ", ")));
        return tensorFrom(*bytes);
    }

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
    const std::int64_t shift = isDecoder(family) ? 1 : 0;
    at::Tensor isLabel_BS = labels_BS != kNoLabel;
    isLabel_BS.narrow(1, 0, shift).fill_(false);
    const at::Tensor places = isLabel_BS.flatten().nonzero().flatten();
    return {places - shift, labels_BS.flatten().index_select(0, places)};
}

Status readTargets(const InputReader& reader, const std::vector<std::int64_t>& shape, const ModelSpec& model,
                   TokenBatch& batch)
{
    TRAINYARD_TRY(const at::Tensor labels, reader.read("labels", shape));
    const Targets targets = targetsOf(labels, model.family);
    batch.targetPositions = targets.positions;
    batch.targets = targets.labels;
    if (batch.targetCount() == 0)
        return badInput("tensor labels has no label to predict");
    return InputReader::checkRange("labels", batch.targets,
                                   model.task.hasHead() ? model.task.labels : model.vocabulary);
}

/// Nothing is predicted of single tokens.
Status readSequenceLabels(const InputReader& reader, const std::vector<std::int64_t>& shape,
                          const TaskSpec& task, TokenBatch& batch)
{
    batch.targetPositions = at::empty({0}, at::kLong);
    batch.targets = at::empty({0}, at::kLong);
    const std::vector<std::int64_t> each{shape[0]};
    if (task.kind == TaskKind::Answer) {
        TRAINYARD_TRY(const at::Tensor first, reader.read("start_positions", each, shape[1]));
        TRAINYARD_TRY(const at::Tensor last, reader.read("end_positions", each, shape[1]));
        batch.sequenceLabels = at::stack({first, last}, 1);
    } else if (task.kind == TaskKind::Regress) {
        TRAINYARD_TRY(batch.sequenceLabels, reader.readNumbers("labels", each));
    } else {
        TRAINYARD_TRY(batch.sequenceLabels, reader.read("labels", each, task.labels));
    }
    return {};
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
    if (model.predictsNextSentence()) {
        TRAINYARD_TRY(batch.sequenceLabels, reader.read("next_sentence_label", {shape[0]}, 2));
    }
    TRAINYARD_TRY_STATUS(model.task.judgesSequences() ? readSequenceLabels(reader, shape, model.task, batch)
                                                      : readTargets(reader, shape, model, batch));
    batch.sampleIndices.resize(static_cast<std::size_t>(shape[0]));
    std::iota(batch.sampleIndices.begin(), batch.sampleIndices.end(), std::uint64_t{0});
    return batch.withoutIdleMask();
}

} // namespace

Result<TokenBatch> readEvalInputs(const std::filesystem::path& path, const ModelSpec& model)
{
    TRAINYARD_TRY(const SafetensorsFile file, SafetensorsFile::open(path));
    auto batch = batchFrom(file, model);
    return batch.ok() ? std::move(batch) : batch.error().in(path.string());
}

} // namespace trainyard
