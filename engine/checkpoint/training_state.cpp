#include "engine/checkpoint/training_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoint/tensor_views.h"
#include "engine/nn/parameter_store.h"
#include "engine/optim/optimizer.h"

namespace trainyard {

namespace {

// Where a tensor of the checkpoint goes.
struct Target {
    std::string name;
    at::Tensor value;
};

std::vector<Target> targetsOf(const ParameterStore& parameters, const Optimizer* optimizer)
{
    std::vector<Target> targets;
    for (const Parameter& parameter : parameters.parameters())
        targets.push_back({"model/" + parameter.spec.name, parameter.master});
    if (!optimizer)
        return targets;
    for (const StateTensor& state : optimizer->state())
        targets.push_back({"optimizer/" + state.name, state.value});
    return targets;
}

// Straight into the tensor's memory where the stored type is its own.
Status readInto(CheckpointReader& reader, const Target& target)
{
    const LogicalTensor* stored = reader.manifest().find(target.name);
    if (!stored)
        return badInput("the checkpoint has no tensor " + target.name,
                        "it was written by a run with another model or optimizer");
    if (stored->shape != target.value.sizes().vec())
        return badInput(fmt::format("tensor {} has the shape [{}] in the checkpoint, but [{}] in this model",
                                    target.name, fmt::join(stored->shape, ", "),
                                    fmt::join(target.value.sizes(), ", ")),
                        "resume with the model that wrote the checkpoint");
    const at::ScalarType type = scalarTypeOf(stored->type);
    const bool direct = type == target.value.scalar_type();
    const at::Tensor buffer = direct ? target.value : at::empty(target.value.sizes(), type);
    TRAINYARD_TRY_STATUS(
        reader.read(target.name, {static_cast<std::byte*>(buffer.mutable_data_ptr()), buffer.nbytes()}));
    if (!direct)
        target.value.copy_(buffer);
    return {};
}

} // namespace

TrainingState::TrainingState(ParameterStore& parameters, Optimizer* optimizer)
    : m_parameters(parameters), m_optimizer(optimizer)
{
    for (const Target& target : targetsOf(parameters, optimizer))
        m_tensors.push_back(bytesOf(target.name, target.value));
}

Status TrainingState::load(CheckpointReader& reader)
{
    for (const Target& target : targetsOf(m_parameters, m_optimizer))
        TRAINYARD_TRY_STATUS(readInto(reader, target));
    m_parameters.refreshWorkingCopy();
    if (m_optimizer)
        m_optimizer->setSteps(reader.manifest().position.step.value);
    return {};
}

Status saveCheckpoint(const std::filesystem::path& checkpoints, const TrainingState& state,
                      const TrainingPosition& position, int keepLast)
{
    const CheckpointWriter writer(checkpoints, position.step);
    TRAINYARD_TRY_STATUS(writer.begin());
    Status status = writer.writeShard(0, 1, shareOf(state.tensors(), 0, 1));
    if (status.ok())
        status = writer.publish(1, position, keepLast);
    if (!status.ok())
        writer.abandon();
    return status;
}

} // namespace trainyard
