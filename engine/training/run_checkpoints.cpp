#include "engine/training/run_checkpoints.h"

#include <fmt/format.h>

#include "engine/checkpoint/checkpoint_reader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_group.h"
#include "engine/nn/parameter_store.h"
#include "engine/training/replica.h"

namespace trainyard {

namespace {

Status fitsRun(const RunSpec& written, const RunSpec& wanted, const std::filesystem::path& checkpoint)
{
    const char* different = nullptr;
    if (!(written.model == wanted.model))
        different = "model";
    else if (written.optimizer.kind != wanted.optimizer.kind)
        different = "optimizer";
    else if (written.seed != wanted.seed)
        different = "seed";
    if (!different)
        return {};
    return badInput(
        fmt::format("{} was written with another {} than this run's", checkpoint.string(), different),
        "resume with the specification of the run that wrote it");
}

/// What rank 0 does alone.
Result<std::optional<TrainingPosition>> readLatest(const std::filesystem::path& folder, Replica& replica,
                                                   const RunSpec& spec)
{
    TRAINYARD_TRY(const auto latest, latestCheckpoint(folder));
    if (!latest)
        return std::optional<TrainingPosition>();
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(*latest));
    TRAINYARD_TRY_STATUS(fitsRun(reader.manifest().position.spec, spec, *latest));
    TRAINYARD_TRY_STATUS(replica.state().load(reader));
    return std::optional(reader.manifest().position);
}

template <typename Number>
Number broadcastNumber(ProcessGroup& group, Number value)
{
    group.broadcast(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

void broadcastTensor(ProcessGroup& group, const at::Tensor& tensor)
{
    group.broadcast({static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()});
}

void broadcastState(ProcessGroup& group, Replica& replica)
{
    broadcastTensor(group, replica.parameters().flatMasters());
    for (const StateTensor& state : replica.optimizer().state())
        broadcastTensor(group, state.value);
    replica.optimizer().setSteps(broadcastNumber(group, replica.optimizer().steps()));
    replica.parameters().refreshWorkingCopy();
}

} // namespace

Result<RunCheckpoints> RunCheckpoints::open(ProcessGroup& group, const std::filesystem::path& folder,
                                            int keepLast)
{
    TRAINYARD_TRY(const FolderSharing sharing, findFolderSharing(group, folder));
    return RunCheckpoints(group, folder, keepLast, sharing);
}

RunCheckpoints::RunCheckpoints(ProcessGroup& group, std::filesystem::path folder, int keepLast,
                               FolderSharing sharing)
    : m_group(&group), m_folder(std::move(folder)), m_keepLast(keepLast), m_sharing(sharing)
{
}

Status RunCheckpoints::save(const Replica& replica, const TrainingPosition& position)
{
    const CheckpointWriter writer(m_folder, position.step);
    const bool first = m_group->isFirst();
    TRAINYARD_TRY_STATUS(agree(*m_group, first ? writer.begin() : Status()));
    Status written;
    if (m_sharing.takesPart())
        written = writer.writeShard(m_sharing.index, m_sharing.count,
                                    shareOf(replica.state().tensors(), m_sharing.index, m_sharing.count));
    const Status all = agree(*m_group, written);
    if (!all.ok() && first)
        writer.abandon();
    TRAINYARD_TRY_STATUS(all);
    return agree(*m_group, first ? writer.publish(m_sharing.count, position, m_keepLast) : Status());
}

Result<std::optional<TrainingPosition>> RunCheckpoints::loadLatest(Replica& replica, const RunSpec& spec)
{
    Result<std::optional<TrainingPosition>> read = std::optional<TrainingPosition>();
    if (m_group->isFirst())
        read = readLatest(m_folder, replica, spec);
    TRAINYARD_TRY_STATUS(agree(*m_group, read.ok() ? Status() : read.error()));
    std::optional<TrainingPosition> position = std::move(read).value();
    if (!broadcastNumber(*m_group, position.has_value()))
        return std::optional<TrainingPosition>();
    if (!position)
        position.emplace();
    position->step.value = broadcastNumber(*m_group, position->step.value);
    position->consumedSamples = broadcastNumber(*m_group, position->consumedSamples);
    broadcastState(*m_group, replica);
    return position;
}

} // namespace trainyard
