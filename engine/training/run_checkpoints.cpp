#include "engine/training/run_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "engine/checkpoint/format/checkpoint_listing.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/checkpoint/slice_snapshot.h"
#include "engine/comm/agreement.h"
#include "engine/comm/process_groups.h"
#include "engine/spec/phases/phases.h"
#include "engine/training/replica.h"
#include "engine/training/shard_exchange.h"

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

/// Reads this rank's part of a checkpoint. `folder`: for errors.
Result<TrainingPosition> readInto(Replica& replica, CheckpointReader& reader,
                                  const std::filesystem::path& folder, const RunSpec& spec)
{
    const TrainingPosition& position = reader.manifest().position;
    TRAINYARD_TRY_STATUS(fitsRun(position.spec, spec, position.step.value, folder));
    const bool weightsAlone = leavesOptimizerState(spec, position.step.value);
    for (const auto& chunk : replica.chunks())
        TRAINYARD_TRY_STATUS(weightsAlone ? TrainingState(chunk->parameters()).load(reader)
                                          : chunk->state().load(reader));
    return position;
}

/// The slices that readInto() will read and that are not among the shards `here`.
std::vector<ShardWant> wantsOf(const Replica& replica, const CheckpointManifest& manifest, const RunSpec& spec,
                               int store, const std::set<std::string>& here)
{
    const bool weightsAlone = leavesOptimizerState(spec, manifest.position.step.value);
    std::set<ShardWant> wants; // a slice may overlap several boxes
    for (const auto& chunk : replica.chunks()) {
        const auto boxes =
            weightsAlone ? TrainingState(chunk->parameters()).ownedBoxes() : chunk->state().ownedBoxes();
        for (const TrainingState::OwnedBox& owned : boxes) {
            const LogicalTensor* tensor = manifest.find(owned.name);
            if (!tensor)
                continue; // readInto() says so
            for (const TensorSlice& slice : tensor->slices) {
                if (!here.contains(slice.file) && overlap({slice.begin, slice.shape}, owned.box))
                    wants.insert({store, slice.file, slice.offset, slice.bytes});
            }
        }
    }
    return {wants.begin(), wants.end()};
}

std::vector<SliceToSave> slicesOf(const Replica& replica, const FolderSharing& savers)
{
    std::vector<SliceToSave> slices;
    for (const auto& chunk : replica.chunks())
        std::ranges::move(chunk->state().slices(savers.index, savers.count), std::back_inserter(slices));
    return slices;
}

} // namespace

Result<RunCheckpoints> RunCheckpoints::open(const ProcessGroups& groups, GroupMaker& maker,
                                            const std::filesystem::path& folder, const CheckpointSpec& spec,
                                            bool everyRankHoldsAll, const Fence& fence)
{
    TRAINYARD_TRY(const FolderSharing sharing, findFolderSharing(*groups.world, folder));
    TRAINYARD_TRY(CheckpointStores stores, CheckpointStores::find(*groups.world, maker, folder, sharing,
                                                                  !everyRankHoldsAll, fence));
    const bool isSpread = stores.count() > 1 && !everyRankHoldsAll;
    return RunCheckpoints(groups, folder, spec, sharing, std::move(stores), isSpread, fence);
}

RunCheckpoints::RunCheckpoints(const ProcessGroups& groups, std::filesystem::path folder,
                               const CheckpointSpec& spec, FolderSharing sharing, CheckpointStores stores,
                               bool isSpread, const Fence& fence)
    : m_world(groups.world)
    , m_folder(std::move(folder))
    , m_kept{spec.keepLast, spec.keepEvery}
    , m_copies(spec.copies)
    , m_fence(fence)
    , m_stores(std::move(stores))
    , m_isSpread(isSpread)
    , m_sharing(isSpread ? FolderSharing{m_world->rank().value, m_world->size().value} : sharing)
    , m_savers(sharingAmong(*groups.data, m_sharing.takesPart()))
{
}

std::string RunCheckpoints::placesText() const
{
    if (!m_isSpread)
        return {};
    return fmt::format("the {} hosts share no folder: each keeps its part of a checkpoint{}", m_stores.count(),
                       m_copies > 0 ? ", copied to the next host"
                                    : " alone (checkpoint.copies 0), so a lost host loses it");
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

Status RunCheckpoints::begin(const Replica& replica, const TrainingPosition& position)
{
    TRAINYARD_CHECK(!m_saving);
    const CheckpointWriter writer(m_folder, position.step, m_fence);
    const bool begins = m_isSpread ? m_stores.leads() : m_world->isFirst();
    TRAINYARD_TRY_STATUS(agree(*m_world, begins ? writer.begin() : Status()));
    m_saving.emplace(Saving{writer, position, Stage::Shards, writeShard(writer, replica)});
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
    // Agreed after every stage: all shards are complete before anything is published, and no rank reports a
    // checkpoint before it is published.
    //
    //   begin() --> shards are written --> proceed() --> publishing --> proceed() --> the step is returned
    //                      |                                 |
    //                      +------- an error of any rank ----+--> abandon()
    if (const Status all = agree(*m_world, m_saving->work.valid() ? m_saving->work.get() : Status()); !all.ok())
        return abandon(all.error());
    if (isLastStage())
        return std::optional(std::exchange(m_saving, std::nullopt)->position.step);
    if (const Status begun = beginNextStage(); !begun.ok())
        return abandon(begun.error());
    return std::optional<Step>();
}

bool RunCheckpoints::isLastStage() const
{
    return m_saving->stage == (m_isSpread ? Stage::Cleaning : Stage::Publication);
}

Status RunCheckpoints::beginNextStage()
{
    switch (m_saving->stage) {
    case Stage::Shards:
        if (m_isSpread) {
            m_saving->stage = Stage::Copies;
            TRAINYARD_TRY(m_saving->work, makeCopies());
            return {};
        }
        [[fallthrough]];
    case Stage::Elsewhere:
        m_saving->stage = Stage::Publication;
        m_saving->work = publish();
        return {};
    case Stage::Copies:
        m_saving->stage = Stage::Elsewhere;
        m_saving->work = publishElsewhere();
        return {};
    case Stage::Publication:
    case Stage::Cleaning:
        m_saving->stage = Stage::Cleaning;
        m_saving->work = clean();
        return {};
    }
    return {};
}

/// Which file goes where, once all are written.
Result<std::vector<ShardTransfer>> RunCheckpoints::planCopies() const
{
    const int count = m_sharing.count;
    std::vector<double> bytes(static_cast<std::size_t>(count)); // exact up to 2^53
    const std::string mine = CheckpointWriter::shardFile(m_sharing.index, count);
    std::error_code error;
    bytes[static_cast<std::size_t>(m_sharing.index)] =
        static_cast<double>(std::filesystem::file_size(m_saving->writer.staging() / mine, error));
    TRAINYARD_TRY_STATUS(
        agree(*m_world, error ? Status(failed("cannot read " + mine + ": " + error.message())) : Status()));
    m_world->allReduce(std::span(bytes));
    std::vector<WrittenShard> shards;
    for (int rank = 0; rank < count; ++rank)
        shards.push_back({m_stores.storeOf(rank), CheckpointWriter::shardFile(rank, count),
                          static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(rank)])});
    return copiesOf(shards, m_stores.count(), m_copies);
}

/// The same for every host, from the lists of all ranks.
Result<std::string> RunCheckpoints::makeManifest() const
{
    const auto list = m_saving->writer.listOf(m_sharing.index, m_sharing.count);
    TRAINYARD_TRY_STATUS(agree(*m_world, list.ok() ? Status() : list.error()));
    const std::vector<std::string> lists = m_world->gather(*list);
    std::string text;
    Status joined;
    if (m_world->isFirst()) {
        auto manifest = CheckpointWriter::joinLists(m_saving->position, lists);
        joined = manifest.ok() ? Status() : Status(manifest.error());
        for (int rank = 0; manifest.ok() && rank < m_sharing.count; ++rank) {
            auto& hosts = manifest->places[CheckpointWriter::shardFile(rank, m_sharing.count)];
            for (const int store : storesOfShards(m_stores.storeOf(rank), m_stores.count(), m_copies))
                hosts.push_back(m_stores.hosts()[static_cast<std::size_t>(store)]);
        }
        if (manifest.ok())
            text = manifest->toJson();
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, joined));
    return m_world->broadcastText(std::move(text));
}

Result<std::future<Status>> RunCheckpoints::makeCopies() const
{
    TRAINYARD_TRY(const std::vector<ShardTransfer> transfers, planCopies());
    TRAINYARD_TRY(const std::string manifest, makeManifest());
    if (!m_stores.leads())
        return std::future<Status>();
    // This object stays where it is while a checkpoint is under way.
    return std::async(
        std::launch::async,
        [writer = m_saving->writer, transfers, manifest, count = m_sharing.count, stores = &m_stores]() -> Status {
            const ShardFolders folders{writer.staging(), writer.staging(), true};
            TRAINYARD_TRY_STATUS(exchangeShards(stores->links(), stores->mine(), transfers, folders));
            return writer.prepare(count, manifest);
        });
}

/// Before the head, whose name for the checkpoint says that every host has its part.
std::future<Status> RunCheckpoints::publishElsewhere() const
{
    if (!m_stores.leadsElsewhere())
        return {};
    return std::async(std::launch::async, [writer = m_saving->writer, position = m_saving->position] {
        return writer.commit(position);
    });
}

std::future<Status> RunCheckpoints::publish() const
{
    if (!m_world->isFirst())
        return {};
    return std::async(std::launch::async,
                      [writer = m_saving->writer, position = m_saving->position, kept = m_kept, folder = m_folder,
                       count = m_sharing.count, isPrepared = m_isSpread]() -> Status {
                          if (!isPrepared)
                              return writer.publish(count, position, kept);
                          TRAINYARD_TRY_STATUS(writer.commit(position));
                          return removeOutdated(folder, kept);
                      });
}

/// The other hosts keep what the head keeps.
std::future<Status> RunCheckpoints::clean() const
{
    std::string names;
    if (m_world->isFirst()) {
        const auto listing = CheckpointListing::read(m_folder);
        for (const CheckpointName& name : listing.ok() ? listing->names : std::vector<CheckpointName>())
            names += name.text() + '\n';
    }
    names = m_world->broadcastText(std::move(names));
    if (!m_stores.leadsElsewhere() || names.empty())
        return {};
    return std::async(std::launch::async, [names, folder = m_folder] {
        std::vector<std::string> kept;
        std::istringstream lines(names);
        for (std::string line; std::getline(lines, line);)
            kept.push_back(line);
        return removeUnlisted(folder, kept);
    });
}

Error RunCheckpoints::abandon(const Error& error)
{
    if (m_isSpread ? m_stores.leads() : m_world->isFirst())
        m_saving->writer.abandon();
    m_saving.reset();
    return error;
}

Status RunCheckpoints::setAsideDamaged(const CheckpointStores::Start& start, const std::string& reason,
                                       std::vector<std::string>& changes)
{
    TRAINYARD_TRY(const CheckpointName aside, m_stores.setAside(start));
    if (m_world->isFirst())
        changes.push_back(fmt::format("the checkpoint of step {} is damaged and was set aside as {}: {}",
                                      aside.step.value, aside.text(), reason));
    return {};
}

/// Every rank reads its part, from its host's disk and what comes from other hosts.
Result<TrainingPosition> RunCheckpoints::readFromHosts(Replica& replica, const CheckpointStores::Start& start,
                                                       const RunSpec& spec, std::vector<std::string>& changes)
{
    for (;;) {
        const auto wants = wantsOf(replica, start.manifest, spec, m_stores.mine(), m_stores.shardsHere(start));
        TRAINYARD_TRY(std::vector<std::filesystem::path> folders, m_stores.fetch(start, wants));
        CheckpointReader reader(std::move(folders), start.manifest);
        auto position = readInto(replica, reader, *start.point.checkpoint, spec);
        const Status all = agree(*m_world, position.ok() ? Status() : position.error());
        m_stores.removeFetched(start);
        if (all.ok())
            return position;
        // A disk may damage one of two copies.
        const std::vector<std::string> givenUp = all.error().kind == ErrorKind::BadInput
                                                     ? m_stores.giveUp(start, reader.damagedShard())
                                                     : std::vector<std::string>();
        if (givenUp.empty())
            return all.error();
        changes.insert(changes.end(), givenUp.begin(), givenUp.end());
    }
}

Result<TrainingPosition> RunCheckpoints::read(Replica& replica, const CheckpointStores::Start& start,
                                              const RunSpec& spec, bool fromHeadAlone,
                                              std::vector<std::string>& changes)
{
    if (m_stores.count() > 1 && !fromHeadAlone)
        return readFromHosts(replica, start, spec, changes);
    Result<TrainingPosition> position{TrainingPosition()};
    if (m_world->isFirst() || !fromHeadAlone) {
        auto reader = CheckpointReader::open(*start.point.checkpoint);
        position = reader.ok() ? readInto(replica, *reader, *start.point.checkpoint, spec)
                               : Result<TrainingPosition>(reader.error());
    }
    const Status all = agree(*m_world, position.ok() ? Status() : position.error());
    return all.ok() ? std::move(position) : Result<TrainingPosition>(all.error());
}

Result<LoadedState> RunCheckpoints::load(const ReplicaMaker& replicaAfter, const RunSpec& spec)
{
    LoadedState loaded;
    for (;;) {
        TRAINYARD_TRY(const CheckpointStores::Start start, m_stores.chooseStart());
        std::ranges::copy(start.point.changes, std::back_inserter(loaded.changes));
        loaded.start = start.point.text;
        TRAINYARD_TRY(Replica * replica, replicaAfter(Step{start.point.step}));
        if (!start.point.checkpoint)
            return loaded;
        const bool fromHeadAlone = m_stores.count() > 1 && !m_isSpread && start.headHasAll;
        auto position = read(*replica, start, spec, fromHeadAlone, loaded.changes);
        if (position.ok()) {
            loaded.position = share(*replica, std::move(position).value(), fromHeadAlone);
            loaded.isFresh = false;
            return loaded;
        }
        // Only wrong content makes a checkpoint damaged: a disk that cannot be read may be available again
        // later.
        if (position.error().kind != ErrorKind::BadInput)
            return position.error();
        TRAINYARD_TRY_STATUS(setAsideDamaged(start, position.error().message, loaded.changes));
    }
}

/// Sends the position, which only rank 0 may have read, to all ranks, and the state to those that lack it.
TrainingPosition RunCheckpoints::share(Replica& replica, TrainingPosition position, bool fromHeadAlone)
{
    position.step.value = m_world->broadcastValue(position.step.value);
    position.consumedSamples = m_world->broadcastValue(position.consumedSamples);
    position.lossScale = m_world->broadcastValue(position.lossScale);
    position.evaluation = m_world->broadcastValue(position.evaluation);
    position.phase = m_world->broadcastValue(position.phase);
    position.earlierUpdates = m_world->broadcastValue(position.earlierUpdates);
    if (fromHeadAlone)
        replica.takeFromFirst(*m_world);
    else
        replica.shareWeights();
    return position;
}

} // namespace trainyard
