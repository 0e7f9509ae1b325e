#include "engine/checkpoint/training_state.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoint/tensor_views.h"
#include "engine/checkpoint/weights/weight_source.h"
#include "engine/memory/tensor_storage.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/optim/optimizer.h"

namespace trainyard {

namespace {

Status fits(const LogicalTensor* stored, const std::string& name, const std::vector<std::int64_t>& shape)
{
    if (!stored)
        return refused("the checkpoint has no tensor " + name,
                       "it was written by a run with a different model or optimizer");
    if (stored->shape != shape)
        return refused(fmt::format("tensor {} has the shape [{}] in the checkpoint, but [{}] in this model",
                                   name, fmt::join(stored->shape, ", "), fmt::join(shape, ", ")),
                       "resume with the model that wrote the checkpoint");
    return {};
}

// Straight into the memory of `values`, [n], where that is the host's and the stored type is its own.
// `read`: Status(std::span<std::byte>).
template <typename Read>
Status readInto(const at::Tensor& values, ElementType stored, const Read& read)
{
    const at::ScalarType type = scalarTypeOf(stored);
    const bool direct = type == values.scalar_type() && isHostMemory(values.device());
    const at::Tensor buffer = direct ? values : at::empty(values.sizes(), type);
    TRAINYARD_TRY_STATUS(
        read(std::span(static_cast<std::byte*>(buffer.mutable_data_ptr()), buffer.nbytes())));
    if (!direct)
        values.copy_(buffer);
    return {};
}

// The part of a box that lies in the first `rows` rows: the first elements of the box, for boxes are
// row-major.
TensorBox withinRows(TensorBox box, std::int64_t rows)
{
    box.shape.front() = std::clamp<std::int64_t>(rows - box.begin.front(), 0, box.shape.front());
    return box;
}

// The owned piece of a parameter, whose elements are `values`, from a tensor of `rows` rows; elements beyond
// them stay as they are. `read`: Status(const TensorBox&, std::span<std::byte>).
template <typename Read>
Status readPiece(const ParameterStore& parameters, const OwnedPiece& piece, const at::Tensor& values,
                 ElementType stored, std::int64_t rows, const Read& read)
{
    const SliceGeometry& slice = parameters.layout().slices()[piece.parameter];
    for (const SliceGeometry::Part& part : slice.boxes(piece.firstElement, piece.count)) {
        const TensorBox box = withinRows(part.box, rows);
        if (elementCount(box.shape) == 0)
            continue;
        const at::Tensor target =
            values.narrow(0, part.firstElement - piece.firstElement, elementCount(box.shape));
        TRAINYARD_TRY_STATUS(
            readInto(target, stored, [&](std::span<std::byte> bytes) { return read(box, bytes); }));
    }
    return {};
}

// All of them in one error: whoever exported them wants to know which ones to look at.
Status requireFinite(const std::vector<std::string>& notFinite, const std::string& origin)
{
    if (notFinite.empty())
        return {};
    return badInput(fmt::format("{} holds values that are not finite in {}", origin, listed(notFinite)),
                    "begin with an earlier checkpoint, or with weights that were saved as float32");
}

} // namespace

TrainingState::TrainingState(ParameterStore& parameters, Optimizer* optimizer)
    : m_parameters(parameters), m_optimizer(optimizer)
{
}

std::vector<TrainingState::Kind> TrainingState::kinds() const
{
    std::vector<Kind> kinds{{"model/", {}}};
    std::vector<std::size_t> optimized; // what the optimizer has, by its own numbers
    for (const OwnedTensor& owned : m_parameters.owned()) {
        if (!owned.isFrozen())
            optimized.push_back(kinds.front().values.size());
        kinds.front().values.push_back(owned.master);
    }
    if (!m_optimizer)
        return kinds;
    for (const StateTensor& state : m_optimizer->state()) {
        const std::string prefix = "optimizer/" + state.name + "/";
        auto kind = std::ranges::find(kinds, prefix, &Kind::prefix);
        if (kind == kinds.end())
            kind = kinds.insert(kinds.end(), {prefix, std::vector<at::Tensor>(m_parameters.owned().size())});
        kind->values[optimized[state.tensor]] = state.value;
    }
    return kinds;
}

std::vector<std::size_t> TrainingState::heldOf(const Kind& kind)
{
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < kind.values.size(); ++i) {
        if (kind.values[i].defined())
            held.push_back(i);
    }
    return held;
}

bool TrainingState::isWrittenHere(std::size_t parameter) const
{
    const ParameterSpec& spec = m_parameters.parameters()[parameter].spec;
    return !spec.isCopy && (spec.split.cuts() || m_parameters.layout().sharding().tensor.rank == 0);
}

std::vector<SliceToSave> TrainingState::slices(Share saver, Share expertSaver) const
{
    const FlatLayout& layout = m_parameters.layout();
    const std::vector<OwnedPiece> pieces = layout.piecesOf(saver, expertSaver);
    std::vector<SliceToSave> slices;
    for (const Kind& kind : kinds()) {
        for (const OwnedPiece& piece : pieces) {
            if (!isWrittenHere(piece.parameter))
                continue;
            const ParameterSpec& spec = m_parameters.parameters()[piece.parameter].spec;
            const std::size_t owned = m_parameters.ownedIndexOf(piece.parameter);
            if (!kind.values[owned].defined())
                continue;
            const std::int64_t start = m_parameters.owned()[owned].piece.firstElement;
            for (const auto& [box, first] :
                 layout.slices()[piece.parameter].boxes(piece.firstElement, piece.count)) {
                const at::Tensor values =
                    kind.values[owned].narrow(0, first - start, elementCount(box.shape));
                TensorBytes bytes = bytesOf(kind.prefix + spec.name, values);
                bytes.shape = box.shape;
                slices.push_back({std::move(bytes), spec.shape, box.begin, !isHostMemory(values.device())});
            }
        }
    }
    return slices;
}

std::vector<TrainingState::OwnedBox> TrainingState::ownedBoxes() const
{
    std::vector<OwnedBox> boxes;
    for (const Kind& kind : kinds()) {
        for (const std::size_t i : heldOf(kind)) {
            const OwnedPiece& piece = m_parameters.owned()[i].piece;
            const ParameterSpec& spec = m_parameters.parameters()[piece.parameter].spec;
            for (const auto& [box, first] :
                 m_parameters.layout().slices()[piece.parameter].boxes(piece.firstElement, piece.count))
                boxes.push_back(
                    {kind.prefix + spec.name, box,
                     kind.values[i].narrow(0, first - piece.firstElement, elementCount(box.shape))});
        }
    }
    return boxes;
}

void TrainingState::filled(std::int64_t updates)
{
    m_parameters.refreshWorkingCopy();
    if (m_optimizer)
        m_optimizer->setSteps(updates);
}

Status TrainingState::load(CheckpointReader& reader)
{
    for (const Kind& kind : kinds()) {
        for (const std::size_t i : heldOf(kind)) {
            const OwnedPiece& piece = m_parameters.owned()[i].piece;
            const ParameterSpec& spec = m_parameters.parameters()[piece.parameter].spec;
            const std::string name = kind.prefix + spec.name;
            TRAINYARD_TRY_STATUS(fits(reader.manifest().find(name), name, spec.shape));
            const LogicalTensor& stored = *reader.manifest().find(name);
            TRAINYARD_TRY_STATUS(readPiece(m_parameters, piece, kind.values[i], stored.type,
                                           spec.shape.front(),
                                           [&](const TensorBox& box, std::span<std::byte> bytes) {
                                               return reader.read(name, box, bytes);
                                           }));
        }
    }
    filled(reader.manifest().position.updates());
    return {};
}

Status TrainingState::begin(WeightSource& source, const WeightComparison& comparison)
{
    std::vector<std::string> notFinite;
    for (const Kind& kind : kinds()) {
        for (const std::size_t i : heldOf(kind)) {
            const OwnedPiece& piece = m_parameters.owned()[i].piece;
            const std::string& parameter = m_parameters.parameters()[piece.parameter].spec.name;
            const std::string name = kind.prefix + parameter;
            const WeightComparison::Loaded* loaded = comparison.find(name);
            if (!loaded)
                continue;
            const StoredTensor* stored = source.description().find(name);
            TRAINYARD_CHECK_MSG(stored, name);
            TRAINYARD_TRY_STATUS(readPiece(m_parameters, piece, kind.values[i], stored->type,
                                           loaded->stored.front(),
                                           [&](const TensorBox& box, std::span<std::byte> bytes) {
                                               return source.read(*stored, box, bytes);
                                           }));
            if (!kind.values[i].isfinite().all().item<bool>())
                notFinite.push_back(kind.prefix == kWeightPrefix ? parameter : name);
        }
    }
    TRAINYARD_TRY_STATUS(requireFinite(notFinite, comparison.origin));
    m_parameters.refreshWorkingCopy();
    if (m_optimizer && comparison.loadsOptimizer)
        m_optimizer->setSteps(source.description().updates);
    return {};
}

Status saveCheckpoint(const std::filesystem::path& checkpoints, const TrainingState& state,
                      const TrainingPosition& position, const KeptCheckpoints& kept)
{
    const CheckpointWriter writer(checkpoints, position.step);
    TRAINYARD_TRY_STATUS(writer.begin());
    Status status = writer.writeShard(0, 1, state.slices({}, {}));
    if (status.ok())
        status = writer.publish(1, position, kept);
    if (!status.ok())
        writer.abandon();
    return status;
}

} // namespace trainyard
