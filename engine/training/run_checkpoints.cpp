#include "engine/training/run_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/slice_snapshot.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_groups.h"
#include "engine/spec/phases/phases.h"
#include "engine/training/replica.h"

namespace trainyard {

namespace {

/// `step`: of the checkpoint. Both runs have the state of the phase that it was written in.
Status fitsRun(const RunSpec& written, const RunSpec& wanted, std::int64_t step,
               const std::filesystem::path& checkpoint)
{
    const char* different = nullptr;
    if (!(written.model == wanted.model))
        different = "model";
    else if (specOfStep(written, step).optimizer.kind != specOfStep(wanted, step).optimizer.kind)
        different = "optimizer";
    else if (written.seed != wanted.seed)
        different = "seed";
    if (!different)
        return {};
    return refused(
        fmt::format("{} was written with a different {} than this run's", checkpoint.string(), different),
        "resume with the specification of the run that wrote it");
}

/// At the end of a phase whose optimizer state the next one does not keep.
bool leavesOptimizerState(const RunSpec& run, std::int64_t step)
{
    const int next = phaseOfStep(run, step + 1);
    return next > 0 && step == stepsBefore(run, next) &&
           !run.phases[static_cast<std::size_t>(next)].keepOptimizer;
}

/// Reads this rank's part of a checkpoint.
Result<TrainingPosition> readInto(Replica& replica, const std::filesystem::path& folder, const RunSpec& spec)
{
    TRAINYARD_TRY(CheckpointReader reader, CheckpointReader::open(folder));
    const TrainingPosition& position = reader.manifest().position;
    TRAINYARD_TRY_STATUS(fitsRun(position.spec, spec, position.step.value, folder));
    const bool weightsAlone = leavesOptimizerState(spec, position.step.value);
    for (const auto& chunk : replica.chunks())
        TRAINYARD_TRY_STATUS(weightsAlone ? TrainingState(chunk->parameters()).load(reader)
                                          : chunk->state().load(reader));
    return position;
}

std::vector<SliceToSave> slicesOf(const Replica& replica, const FolderSharing& savers)
{
    std::vector<SliceToSave> slices;
    for (const auto& chunk : replica.chunks())
        std::ranges::move(chunk->state().slices(savers.index, savers.count), std::back_inserter(slices));
    return slices;
}

} // namespace

Result<RunCheckpoints> RunCheckpoints::open(const ProcessGroups& groups, const std::filesystem::path& folder,
                                            const CheckpointSpec& spec, bool everyRankHoldsAll,
                                            const Fence& fence)
{
    TRAINYARD_TRY(const FolderSharing sharing, findFolderSharing(*groups.world, folder));
    RunCheckpoints checkpoints(groups, folder, spec, sharing, fence);
    if (everyRankHoldsAll || checkpoints.allShareTheFolder())
        return Result<RunCheckpoints>(std::move(checkpoints));
    return badInput(fmt::format("only {} of {} ranks can see the folder {} of rank 0, but in this layout "
                                "each rank holds a part of the model that no other rank has",
                                sharing.count, groups.world->size().value, folder.string()),
                    "put the run directory on a file system that all nodes share");
}

RunCheckpoints::RunCheckpoints(const ProcessGroups& groups, std::filesystem::path folder,
                               const CheckpointSpec& spec, FolderSharing sharing, const Fence& fence)
    : m_world(groups.world)
    , m_folder(std::move(folder))
    , m_kept{spec.keepLast, spec.keepEvery}
    , m_fence(fence)
    , m_sharing(sharing)
    , m_savers(sharingAmong(*groups.data, sharing.takesPart()))
{
}

bool RunCheckpoints::allShareTheFolder() const
{
    return m_sharing.count == m_world->size().value;
}

std::future<Status> RunCheckpoints::writeShard(const CheckpointWriter& writer, const Replica& replica) const
{
    if (!m_sharing.takesPart())
        return {};
    // A copy of the state, because the next update changes it while the copy is being written.
    const auto snapshot = std::make_shared<const SliceSnapshot>(slicesOf(replica, m_savers));
    return std::async(std::launch::async,
                      [writer, snapshot, index = m_sharing.index, count = m_sharing.count] {
                          return writer.writeShard(index, count, snapshot->slices());
                      });
}

std::future<Status> RunCheckpoints::publish(const Saving& saving) const
{
    if (!m_world->isFirst())
        return {};
    return std::async(std::launch::async,
                      [writer = saving.writer, position = saving.position, kept = m_kept,
                       count = m_sharing.count] { return writer.publish(count, position, kept); });
}

Status RunCheckpoints::begin(const Replica& replica, const TrainingPosition& position)
{
    TRAINYARD_CHECK(!m_saving);
    const CheckpointWriter writer(m_folder, position.step, m_fence);
    TRAINYARD_TRY_STATUS(agree(*m_world, m_world->isFirst() ? writer.begin() : Status()));
    m_saving.emplace(Saving{writer, position, false, writeShard(writer, replica)});
    return {};
}

bool RunCheckpoints::isBusy() const
{
    return m_saving && m_saving->work.valid() &&
           m_saving->work.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Result<std::optional<Step>> RunCheckpoints::proceed()
{
    TRAINYARD_CHECK(m_saving.has_value());
    // Agreed twice per checkpoint: all shards are complete before rank 0 publishes, and no rank reports a
    // checkpoint before it is published.
    //
    //   begin() --> shards are written --> proceed() --> publishing --> proceed() --> the step is returned
    //                      |                                 |
    //                      +------- an error of any rank ----+--> abandon()
    const Status all = agree(*m_world, m_saving->work.valid() ? m_saving->work.get() : Status());
    if (!all.ok()) {
        if (m_world->isFirst())
            m_saving->writer.abandon();
        m_saving.reset();
        return all.error();
    }
    if (m_saving->publishing)
        return std::optional(std::exchange(m_saving, std::nullopt)->position.step);
    m_saving->publishing = true;
    m_saving->work = publish(*m_saving);
    return std::optional<Step>();
}

Result<StartPoint> RunCheckpoints::chooseStart()
{
    auto chosen = m_world->isFirst() ? prepareStart(m_folder, m_fence) : Result<StartPoint>(StartPoint());
    TRAINYARD_TRY_STATUS(agree(*m_world, chosen.ok() ? Status() : chosen.error()));
    const std::string name =
        m_world->broadcastText(chosen->checkpoint ? chosen->checkpoint->filename().string() : std::string());
    chosen->checkpoint = name.empty() ? std::nullopt : std::optional(m_folder / name);
    const auto parsed = CheckpointName::parse(name);
    chosen->step = parsed ? parsed->step.value : 0;
    return chosen;
}

Status RunCheckpoints::setAsideDamaged(const std::filesystem::path& folder, const std::string& reason,
                                       std::vector<std::string>& changes)
{
    Status status;
    if (m_world->isFirst()) {
        const auto aside = setAside(folder, m_fence);
        if (aside.ok())
            changes.push_back(fmt::format("the checkpoint of step {} is damaged and was set aside as {}: {}",
                                          aside->step.value, aside->text(), reason));
        else
            status = aside.error();
    }
    return agree(*m_world, status);
}

Result<LoadedState> RunCheckpoints::load(const ReplicaMaker& replicaAfter, const RunSpec& spec)
{
    LoadedState loaded;
    for (;;) {
        TRAINYARD_TRY(const StartPoint start, chooseStart());
        std::ranges::copy(start.changes, std::back_inserter(loaded.changes));
        loaded.start = start.text;
        TRAINYARD_TRY(Replica * replica, replicaAfter(Step{start.step}));
        if (!start.checkpoint)
            return loaded;
        const bool reads = allShareTheFolder() || m_world->isFirst();
        auto position = reads ? readInto(*replica, *start.checkpoint, spec)
                              : Result<TrainingPosition>(TrainingPosition());
        const Status all = agree(*m_world, position.ok() ? Status() : position.error());
        if (all.ok()) {
            loaded.position = share(*replica, std::move(position).value());
            loaded.isFresh = false;
            return loaded;
        }
        // Only wrong content makes a checkpoint damaged: a disk that cannot be read may be available again
        // later.
        if (all.error().kind != ErrorKind::BadInput)
            return all.error();
        TRAINYARD_TRY_STATUS(setAsideDamaged(*start.checkpoint, all.error().message, loaded.changes));
    }
}

/// Sends the state and position, which only some ranks have read, to all ranks.
TrainingPosition RunCheckpoints::share(Replica& replica, TrainingPosition position)
{
    position.step.value = m_world->broadcastValue(position.step.value);
    position.consumedSamples = m_world->broadcastValue(position.consumedSamples);
    position.lossScale = m_world->broadcastValue(position.lossScale);
    position.evaluation = m_world->broadcastValue(position.evaluation);
    position.phase = m_world->broadcastValue(position.phase);
    position.earlierUpdates = m_world->broadcastValue(position.earlierUpdates);
    if (allShareTheFolder())
        replica.shareWeights();
    else
        replica.takeFromFirst(*m_world);
    return position;
}

} // namespace trainyard
