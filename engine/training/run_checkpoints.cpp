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

/// Of one copy of a slice, so that another one may help.
bool mayBeAFault(const Error& error)
{
    return error.kind == ErrorKind::BadInput || error.kind == ErrorKind::Failed;
}

/// The slices that readInto() will read, each once.
std::vector<SliceInFile> slicesRead(const Replica& replica, const CheckpointManifest& manifest,
                                    const RunSpec& spec)
{
    const bool weightsAlone = leavesOptimizerState(spec, manifest.position.step.value);
    std::vector<SliceInFile> slices;
    std::set<const TensorSlice*> seen; // a slice may overlap several boxes
    for (const auto& chunk : replica.chunks()) {
        const auto boxes =
            weightsAlone ? TrainingState(chunk->parameters()).ownedBoxes() : chunk->state().ownedBoxes();
        for (const TrainingState::OwnedBox& owned : boxes) {
            const LogicalTensor* tensor = manifest.find(owned.name);
            if (!tensor)
                continue; // readInto() says so
            for (const TensorSlice& slice : tensor->slices) {
                if (overlap({slice.begin, slice.shape}, owned.box) && seen.insert(&slice).second)
                    slices.push_back({tensor, &slice});
            }
        }
    }
    return slices;
}

Status moveFile(const std::filesystem::path& from, const std::filesystem::path& to)
{
    std::error_code error;
    std::filesystem::rename(from, to, error);
    return error ? Status(failed("cannot write " + to.string() + ": " + error.message())) : Status();
}

/// What one of the ranks that write has of it. All of `world` do, unless some do not see the folder: then
/// each rank holds everything.
std::vector<SliceToSave> slicesOf(const Replica& replica, const FolderSharing& writers, WorldSize world)
{
    const bool allWrite = writers.count == world.value;
    const auto saver = [&](bool experts) {
        return allWrite ? replica.holders().of(experts).copyShare() : Share{writers.index, writers.count};
    };
    std::vector<SliceToSave> slices;
    for (const auto& chunk : replica.chunks())
        std::ranges::move(chunk->state().slices(saver(false), saver(true)), std::back_inserter(slices));
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
    return RunCheckpoints(groups, maker, folder, spec, sharing, std::move(stores), isSpread, fence);
}

RunCheckpoints::RunCheckpoints(const ProcessGroups& groups, GroupMaker& maker, std::filesystem::path folder,
                               const CheckpointSpec& spec, FolderSharing sharing, CheckpointStores stores,
                               bool isSpread, const Fence& fence)
    : m_world(groups.world)
    , m_maker(&maker)
    , m_folder(std::move(folder))
    , m_kept{spec.keepLast, spec.keepEvery}
    , m_copies(spec.copies)
    , m_fence(fence)
    , m_stores(std::move(stores))
    , m_isSpread(isSpread)
    , m_sharing(isSpread ? FolderSharing{m_world->rank().value, m_world->size().value} : sharing)
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
    const auto snapshot =
        std::make_shared<const SliceSnapshot>(slicesOf(replica, m_sharing, m_world->size()));
    return std::async(std::launch::async,
                      [writer, snapshot, index = m_sharing.index, count = m_sharing.count] {
                          return writer.writeShard(index, count, snapshot->slices());
                      });
}

Status RunCheckpoints::begin(const Replica& replica, const TrainingPosition& position, CopyOrder order)
{
    TRAINYARD_CHECK(!m_saving);
    finishCleaning(); // the room of what is removed may be needed
    const CheckpointWriter writer(m_folder, position.step, m_fence);
    const bool begins = m_isSpread ? m_stores.leads() : m_world->isFirst();
    TRAINYARD_TRY_STATUS(agree(*m_world, begins ? writer.begin(m_prepared) : Status()));
    m_saving.emplace(Saving{writer, position, order, Stage::Shards, writeShard(writer, replica)});
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
    const Status all = agree(*m_world, m_saving->work.valid() ? m_saving->work.get() : Status());
    if (m_saving->stage == Stage::LateCopies) {
        finishSaving(all);
        return std::optional<Step>();
    }
    if (!all.ok())
        return abandon(all.error());
    if (m_saving->stage == Stage::Publication) {
        const Step published = m_saving->position.step;
        m_prepared.clear();
        if (m_saving->lateCopies.empty())
            finishSaving({});
        else if (const Status begun = beginStage(Stage::LateCopies); !begun.ok())
            return abandon(begun.error());
        return std::optional(published);
    }
    if (const Status begun = beginStage(nextStage()); !begun.ok())
        return abandon(begun.error());
    return std::optional<Step>();
}

RunCheckpoints::Stage RunCheckpoints::nextStage() const
{
    switch (m_saving->stage) {
    case Stage::Shards:
        return m_isSpread ? Stage::Copies : Stage::Publication;
    case Stage::Copies:
        return Stage::OtherHosts;
    case Stage::OtherHosts:
    case Stage::Publication:
    case Stage::LateCopies:
        break;
    }
    return Stage::Publication;
}

/// The checkpoint is published, whatever became of its copies. Older ones stay until it has them.
void RunCheckpoints::finishSaving(const Status& copied)
{
    const Saving done = *std::exchange(m_saving, std::nullopt);
    if (copied.ok())
        beginCleaning(*done.kept);
    else if (m_world->isFirst())
        m_remarks.push_back(fmt::format("the checkpoint of step {} has not all copies: {}",
                                        done.position.step.value, copied.error().text()));
}

Status RunCheckpoints::beginStage(Stage stage)
{
    m_saving->stage = stage;
    switch (stage) {
    case Stage::Shards:
        break;
    case Stage::Copies: {
        TRAINYARD_TRY(m_saving->work, makeCopies());
        break;
    }
    case Stage::OtherHosts:
        m_saving->work = publishOnOtherHosts();
        break;
    case Stage::Publication:
        m_saving->work = publish();
        break;
    case Stage::LateCopies:
        m_saving->work = makeLateCopies();
        break;
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
        if (manifest.ok() && m_saving->position.step == m_loadedStep)
            manifest->replaces = m_loadedHash;
        if (manifest.ok())
            text = manifest->toJson();
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, joined));
    return m_world->broadcastText(std::move(text));
}

Result<std::future<Status>> RunCheckpoints::makeCopies()
{
    TRAINYARD_TRY(std::vector<ShardTransfer> transfers, planCopies());
    if (m_saving->order == CopyOrder::AfterPublication)
        m_saving->lateCopies = std::exchange(transfers, {});
    TRAINYARD_TRY(const std::string manifest, makeManifest());
    if (!m_stores.leads())
        return std::future<Status>();
    // This object stays where it is while a checkpoint is under way.
    return std::async(
        std::launch::async,
        [writer = m_saving->writer, transfers, manifest, count = m_sharing.count, stores = &m_stores]() -> Status {
            const ShardFolders folders{writer.staging(), writer.staging(), true};
            TRAINYARD_TRY_STATUS(
                exchangeShards(stores->links(), stores->mine(), transfers, folders).status());
            return writer.prepare(count, manifest, stores->hosts()[static_cast<std::size_t>(stores->mine())]);
        });
}

/// Into a folder apart first: a copy that is cut off must not be taken for a shard.
std::future<Status> RunCheckpoints::makeLateCopies() const
{
    if (!m_stores.leads())
        return {};
    const std::string name = CheckpointName{m_saving->position.step}.text();
    return std::async(
        std::launch::async,
        [transfers = m_saving->lateCopies, checkpoint = m_folder / name, fence = m_fence, stores = &m_stores,
         scratch = m_folder / fmt::format(".{}.{}.partial", name, m_stores.mine())]() -> Status {
            (void)makeFolder(scratch); // without it the exchange fails here, but not for the other hosts
            Status copied =
                exchangeShards(stores->links(), stores->mine(), transfers, {checkpoint, scratch, true})
                    .status();
            if (copied.ok())
                copied = fence.check();
            for (const ShardTransfer& one : transfers) {
                if (copied.ok() && one.to == stores->mine())
                    copied = moveFile(scratch / one.file, checkpoint / one.file);
            }
            std::error_code ignored;
            std::filesystem::remove_all(scratch, ignored);
            return copied.ok() ? syncPath(checkpoint) : copied;
        });
}

/// Before the head, whose name for the checkpoint says that every host has its part.
std::future<Status> RunCheckpoints::publishOnOtherHosts() const
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
    // This object stays where it is while a checkpoint is under way.
    return std::async(
        std::launch::async,
        [this, writer = m_saving->writer, position = m_saving->position, kept = m_saving->kept]() -> Status {
            TRAINYARD_TRY_STATUS(m_isSpread ? writer.commit(position)
                                            : writer.publish(m_sharing.count, position, {}));
            *kept = keptNames(m_folder, m_kept,
                              [this](const CheckpointName& name) { return m_stores.isWhole(name); });
            return {};
        });
}

/// Every host keeps what the head keeps. The new checkpoint does not depend on it.
void RunCheckpoints::beginCleaning(const Result<Names>& kept)
{
    std::string text;
    for (const CheckpointName& name : kept.ok() ? *kept : Names())
        text += name.text() + '\n';
    if (!kept.ok())
        m_remarks.push_back("outdated checkpoints were not removed: " + kept.error().text());
    text = m_world->broadcastText(std::move(text));
    m_isCleaning = !text.empty();
    if (!m_isCleaning || !(m_isSpread ? m_stores.leads() : m_world->isFirst()))
        return;
    Names names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        names.push_back(CheckpointName::parse(line).value_or(CheckpointName()));
    m_cleaning =
        std::async(std::launch::async, [names = std::move(names), folder = m_folder, fence = m_fence] {
            return removeUnlisted(folder, names, fence);
        });
}

void RunCheckpoints::finishCleaning()
{
    if (!std::exchange(m_isCleaning, false))
        return;
    const Status all = agree(*m_world, m_cleaning.valid() ? m_cleaning.get() : Status());
    if (!all.ok() && m_world->isFirst())
        m_remarks.push_back("outdated checkpoints were not removed: " + all.error().text());
}

Error RunCheckpoints::abandon(const Error& error)
{
    if (m_isSpread && m_saving->stage >= Stage::OtherHosts)
        m_prepared = m_saving->writer.staging(); // some hosts may have published
    else if (m_isSpread ? m_stores.leads() : m_world->isFirst())
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

/// Every rank reads its part, from its host's disk and what comes from other hosts. A disk may have damaged
/// one of two copies, or not give it now.
Result<TrainingPosition> RunCheckpoints::readFromHosts(Replica& replica, const CheckpointStores::Start& start,
                                                       const RunSpec& spec)
{
    const std::vector<SliceInFile> slices = slicesRead(replica, start.manifest, spec);
    for (;;) {
        std::vector<ShardWant> wants;
        for (const SliceInFile& one : slices) {
            if (!m_stores.isHere(start, *one.slice))
                wants.push_back({m_stores.mine(), one.slice->file, one.slice->offset, one.slice->bytes});
        }
        TRAINYARD_TRY(BroughtSlices brought, m_stores.fetch(start, wants));
        CheckpointReader reader(*start.point.checkpoint, start.manifest, std::move(brought));
        auto position = readInto(replica, reader, *start.point.checkpoint, spec);
        const Status all = agree(*m_world, position.ok() ? Status() : position.error());
        const bool isOver =
            all.ok() || !mayBeAFault(all.error()) ||
            !m_stores.giveUp(start, position.ok() ? std::vector<SliceFault>() : reader.check(slices));
        m_stores.removeFetched(start);
        if (isOver)
            return all.ok() ? std::move(position) : Result<TrainingPosition>(all.error());
    }
}

Result<TrainingPosition> RunCheckpoints::read(Replica& replica, const CheckpointStores::Start& start,
                                              const RunSpec& spec, bool fromHeadAlone)
{
    if (m_stores.count() > 1 && !fromHeadAlone)
        return readFromHosts(replica, start, spec);
    Result<TrainingPosition> position{TrainingPosition()};
    if (m_world->isFirst() || !fromHeadAlone) {
        auto reader = CheckpointReader::open(*start.point.checkpoint);
        position = reader.ok() ? readInto(replica, *reader, *start.point.checkpoint, spec)
                               : Result<TrainingPosition>(reader.error());
    }
    const Status all = agree(*m_world, position.ok() ? Status() : position.error());
    return all.ok() ? std::move(position) : Result<TrainingPosition>(all.error());
}

/// So that ranks of one host share what is brought there. Returns whether the folders have to be compared
/// again.
Result<bool> RunCheckpoints::createFoldersEverywhere()
{
    if (m_stores.createsFolders())
        return false;
    TRAINYARD_TRY(m_stores, CheckpointStores::find(*m_world, *m_maker, m_folder, m_sharing, true, m_fence));
    return true;
}

/// A crash may come after a checkpoint has got its name and before `best` names it.
void RunCheckpoints::restoreBest(const TrainingPosition& position)
{
    const std::int64_t best = position.evaluation.bestStep;
    if (!m_world->isFirst() || best == 0 ||
        !specOfStep(position.spec, position.step.value).evaluation.keepBest)
        return;
    const auto listing = CheckpointListing::read(m_folder);
    const CheckpointName name{Step{best}};
    if (!listing.ok() || listing->best == name.text() || !listing->has(name) || !m_fence.check().ok())
        return;
    if (const Status marked = markAsBest(m_folder, name.text()); !marked.ok())
        m_remarks.push_back(marked.error().text());
}

Result<LoadedState> RunCheckpoints::load(const ReplicaMaker& replicaAfter, const RunSpec& spec)
{
    LoadedState loaded;
    const auto add = [&loaded](const std::vector<std::string>& changes) {
        loaded.changes.insert(loaded.changes.end(), changes.begin(), changes.end());
    };
    for (bool isHeadDamaged = false;;) {
        TRAINYARD_TRY(const CheckpointStores::Start start, m_stores.chooseStart());
        add(start.point.changes);
        loaded.start = start.point.text;
        TRAINYARD_TRY(Replica * replica, replicaAfter(Step{start.point.step}));
        if (!start.point.checkpoint)
            return loaded;
        const bool fromHeadAlone = m_stores.count() > 1 && !m_isSpread && start.headHasAll && !isHeadDamaged;
        if (m_stores.count() > 1 && !fromHeadAlone) {
            TRAINYARD_TRY(const bool again, createFoldersEverywhere());
            if (again)
                continue;
        }
        auto position = read(*replica, start, spec, fromHeadAlone);
        add(m_stores.takeRemarks());
        if (position.ok()) {
            restoreBest(*position);
            m_loadedStep = Step{start.point.step};
            m_loadedHash = start.hash;
            loaded.position = share(*replica, std::move(position).value(), fromHeadAlone);
            loaded.isFresh = false;
            return loaded;
        }
        const bool mayOthersHelp =
            fromHeadAlone && m_stores.othersHold(start) && mayBeAFault(position.error());
        isHeadDamaged = mayOthersHelp;
        if (mayOthersHelp)
            continue;
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
