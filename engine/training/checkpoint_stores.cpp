#include "engine/training/checkpoint_stores.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/host_name.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/checkpoint/format/store_folder.h"
#include "engine/comm/agreement.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/process_group.h"
#include "engine/training/shard_exchange.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Containers of one machine may have one name.
std::vector<std::string> toldApart(const std::vector<std::string>& names)
{
    std::map<std::string, int> seen;
    std::vector<std::string> apart;
    for (const std::string& name : names) {
        const int count = ++seen[name];
        apart.push_back(count == 1 ? name : fmt::format("{} ({})", name, count));
    }
    return apart;
}

} // namespace

CheckpointStores::CheckpointStores(ProcessGroup& world, fs::path folder, Fence fence, FolderStores stores,
                                   bool createsFolders)
    : m_world(&world)
    , m_folder(std::move(folder))
    , m_fence(std::move(fence))
    , m_stores(std::move(stores))
    , m_createsFolders(createsFolders)
{
}

Result<CheckpointStores> CheckpointStores::find(ProcessGroup& world, GroupMaker& maker,
                                                const fs::path& folder, const FolderSharing& sharing,
                                                bool createsFolders, const Fence& fence)
{
    TRAINYARD_TRY(FolderStores found, findFolderStores(world, folder, sharing, createsFolders));
    CheckpointStores stores(world, folder, fence, std::move(found), createsFolders);
    if (stores.count() == 1)
        return Result<CheckpointStores>(std::move(stores));
    stores.nameHosts();
    std::vector<Rank> leaders;
    for (const int leader : stores.m_stores.leaders)
        leaders.push_back(Rank{leader});
    if (stores.leads())
        stores.m_links = std::make_unique<MessageLinks>(makeMessageLinks(maker, leaders));
    // On the head its supervisor does it.
    TRAINYARD_TRY_STATUS(agree(world, createsFolders && stores.leadsElsewhere() ? fence.raise() : Status()));
    return Result<CheckpointStores>(std::move(stores));
}

bool CheckpointStores::leads() const
{
    return m_stores.leaders[static_cast<std::size_t>(mine())] == m_world->rank().value;
}

void CheckpointStores::nameHosts()
{
    std::string all;
    const std::vector<std::string> names = m_world->gather(hostName());
    if (m_world->isFirst()) {
        for (const int leader : m_stores.leaders)
            all += names[static_cast<std::size_t>(leader)] + '\n';
    }
    all = m_world->broadcastText(std::move(all));
    std::vector<std::string> hosts;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = all.find('\n', begin);
        hosts.push_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    m_hosts = toldApart(hosts);
}

/// Every rank learns what every folder holds.
Status CheckpointStores::compareFolders()
{
    auto mine = leads() ? StoreInventory::read(m_folder, m_hosts[static_cast<std::size_t>(this->mine())])
                        : Result<StoreInventory>(StoreInventory());
    TRAINYARD_TRY_STATUS(agree(*m_world, mine.ok() ? Status() : mine.error()));
    const std::vector<std::string> texts = m_world->gather(leads() ? toText(*mine) : std::string());
    m_inventories.clear();
    for (std::size_t store = 0; store < m_stores.leaders.size(); ++store) {
        const auto leader = static_cast<std::size_t>(m_stores.leaders[store]);
        m_inventories.push_back(
            inventoryFromText(m_world->broadcastText(m_world->isFirst() ? texts[leader] : std::string())));
    }
    return {};
}

/// Hosts that have missed changes of lines make up for them, so that no name means two things. One with a new
/// disk has nothing to rename; it gets the record at the end of the start, so that it counts as absent until
/// then.
Status CheckpointStores::followHistoryEverywhere(const LineRecord& history)
{
    const auto isStale = [&](const StoreInventory& store) {
        return !store.isBlank() && store.record.lines != history.lines;
    };
    if (std::ranges::none_of(m_inventories, isStale))
        return {};
    const auto reference = std::ranges::find_if(
        m_inventories, [&](const StoreInventory& store) { return store.record.lines == history.lines; });
    const bool follows = leads() && isStale(myInventory());
    TRAINYARD_TRY_STATUS(
        agree(*m_world,
              follows ? followHistory(m_folder, renamesToFollow(myInventory(), *reference), history, m_fence)
                      : Status()));
    return compareFolders();
}

Status CheckpointStores::finishPublicationsEverywhere()
{
    Status finished;
    if (leads())
        finished =
            finishPublications(m_folder, unfinishedPublications(myInventory(), m_inventories), m_fence);
    TRAINYARD_TRY_STATUS(agree(*m_world, finished));
    m_inventories = afterPublications(std::move(m_inventories));
    return {};
}

/// The manifest of a checkpoint on one host, for all ranks; empty where that host cannot read it.
Result<std::string> CheckpointStores::manifestFrom(std::size_t store, const std::string& folderName)
{
    const Rank leader{m_stores.leaders[store]};
    auto text = m_world->rank() == leader ? readFile(m_folder / folderName / kManifestName)
                                          : Result<std::string>(std::string());
    TRAINYARD_TRY_STATUS(agree(*m_world, text.ok() ? Status() : text.error()));
    return m_world->broadcastText(std::move(*text), leader);
}

/// The names on the head are all that a start can take.
Status CheckpointStores::completeHeadsNames()
{
    Status completed;
    const auto all = unknownToHead(m_inventories);
    for (const UnknownCheckpoint& unknown : all) {
        TRAINYARD_TRY(const std::string manifest, manifestFrom(unknown.store, unknown.name.text()));
        if (m_world->isFirst() && completed.ok())
            completed = keepManifest(m_folder, unknown.name, manifest, m_fence);
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, completed));
    return all.empty() ? Status() : compareFolders(); // the head may have shards of them
}

/// Of a layout in which the head does everything, only the hosts with a folder from before.
std::vector<std::string> CheckpointStores::hostsToRecord() const
{
    std::vector<std::string> hosts;
    for (std::size_t store = 0; store < m_inventories.size(); ++store) {
        if (store == 0 || m_createsFolders || !m_inventories[store].isBlank())
            hosts.push_back(m_inventories[store].host);
    }
    return hosts.size() == 1 ? std::vector<std::string>() : hosts;
}

/// Every folder in order for the choice, and what it depends on.
Result<StartView> CheckpointStores::compareHistories()
{
    TRAINYARD_TRY_STATUS(agree(*m_world, leads() ? removeFetchedShards(m_folder) : Status()));
    TRAINYARD_TRY_STATUS(compareFolders());
    TRAINYARD_TRY(const std::size_t store, storeOfHistory(m_inventories));
    const StoreInventory history = m_inventories[store];
    StartView view;
    view.absent = absentHosts(history.record, m_inventories);
    TRAINYARD_TRY_STATUS(followHistoryEverywhere(history.record));
    TRAINYARD_TRY_STATUS(finishPublicationsEverywhere());
    if (m_inventories.front().isBlank()) {
        view.record = history.record;
        view.record->latest.clear(); // the head has no `latest`
    }
    TRAINYARD_TRY_STATUS(completeHeadsNames());
    view.unreadable = newestUnreadable(m_inventories);
    view.wrongElsewhere = wrongManifest(m_inventories);
    view.hosts = hostsToRecord();
    return view;
}

/// Of a run that other hosts may have taken part in before.
StartView CheckpointStores::viewOfOneFolder() const
{
    StartView view;
    view.hosts.emplace();
    const auto record = LineRecord::load(m_folder); // an error shows when the folder is listed
    if (record.ok() && m_world->isFirst())
        view.absent = absentHosts(*record, {{hostName(), *record, {}}});
    return view;
}

/// On rank 0, for its own folder's checkpoints.
CheckpointHealth CheckpointStores::examine(const CheckpointName& name) const
{
    const fs::path folder = m_folder / name.text();
    const CheckpointHealth here = examineIndex(folder);
    const auto manifest = CheckpointManifest::load(folder / kManifestName);
    if (!manifest.ok() || (count() == 1 && manifest->places.empty()))
        return here;
    const StoredCheckpoint stored = StoredCheckpoint::read(folder, name);
    if (stored.hash.empty())
        return here;
    const CheckpointHealth whole = count() == 1
                                       ? healthOver({{hostName(), {}, {stored}}}, *manifest, stored.hash)
                                       : healthOver(m_inventories, *manifest, stored.hash);
    // Of a checkpoint that one folder should have whole, that folder says best what is wrong.
    return whole.state != CheckpointState::Complete && manifest->places.empty() ? here : whole;
}

bool CheckpointStores::isWhole(const CheckpointName& name) const
{
    const StoredCheckpoint stored = StoredCheckpoint::read(m_folder / name.text(), name);
    const bool isOfThisAttempt = std::ranges::none_of(
        m_inventories, [&](const StoreInventory& store) { return store.find(stored.hash) != nullptr; });
    const CheckpointHealth health = isOfThisAttempt ? examineIndex(m_folder / name.text()) : examine(name);
    return health.state == CheckpointState::Complete;
}

Status CheckpointStores::followHeadEverywhere()
{
    auto head = m_world->isFirst() ? StoreInventory::read(m_folder, m_hosts.front())
                                   : Result<StoreInventory>(StoreInventory());
    TRAINYARD_TRY_STATUS(agree(*m_world, head.ok() ? Status() : head.error()));
    m_inventories.front() =
        inventoryFromText(m_world->broadcastText(m_world->isFirst() ? toText(*head) : std::string()));
    const StoreInventory& names = m_inventories.front();
    const bool follows = leadsElsewhere() && (m_createsFolders || !myInventory().isBlank());
    return agree(*m_world,
                 follows ? followHead(m_folder, renamesToFollow(myInventory(), names), names.record, m_fence)
                         : Status());
}

Status CheckpointStores::takeManifest(Start& start)
{
    TRAINYARD_TRY(const std::string text, manifestFrom(0, start.point.checkpoint->filename().string()));
    start.hash = xxh3Hex(text);
    TRAINYARD_TRY(start.manifest, CheckpointManifest::parse(text));
    const StoredCheckpoint* onHead = m_inventories.front().find(start.hash);
    start.headHasAll = onHead && onHead->shards.size() == start.manifest.shards().size();
    return {};
}

Result<CheckpointStores::Start> CheckpointStores::chooseStart()
{
    m_lost.clear();
    StartView view = viewOfOneFolder();
    if (count() > 1) {
        TRAINYARD_TRY(view, compareHistories());
    }
    view.examine = [this](const CheckpointName& name) { return examine(name); };
    auto point =
        m_world->isFirst() ? prepareStart(m_folder, m_fence, view) : Result<StartPoint>(StartPoint());
    TRAINYARD_TRY_STATUS(agree(*m_world, point.ok() ? Status() : point.error()));
    Start start{std::move(*point)};
    const auto& checkpoint = start.point.checkpoint;
    const std::string name =
        m_world->broadcastText(checkpoint ? checkpoint->filename().string() : std::string());
    const auto parsed = CheckpointName::parse(name);
    start.point.checkpoint = name.empty() ? std::nullopt : std::optional(m_folder / name);
    start.point.step = parsed ? parsed->step.value : 0;
    if (count() > 1) {
        TRAINYARD_TRY_STATUS(followHeadEverywhere());
        if (start.point.checkpoint)
            TRAINYARD_TRY_STATUS(takeManifest(start));
    }
    return start;
}

bool CheckpointStores::isHere(const Start& start, const TensorSlice& slice) const
{
    const StoredCheckpoint* stored = myInventory().find(start.hash);
    return stored && std::ranges::find(stored->shards, slice.file) != stored->shards.end() &&
           std::ranges::none_of(
               m_lost, [&](const LostSlice& lost) { return lost.isOf(mine(), slice.file, slice.offset); });
}

bool CheckpointStores::othersHold(const Start& start) const
{
    return std::any_of(m_inventories.begin() + 1, m_inventories.end(), [&](const StoreInventory& store) {
        const StoredCheckpoint* stored = store.find(start.hash);
        return stored && !stored->shards.empty();
    });
}

/// A name that no start reads and that the next checkpoint clears away. Ranks of one host without a folder
/// count as hosts of their own, so each has another name.
fs::path CheckpointStores::fetched(const Start& start) const
{
    return m_folder / fmt::format(".{}.{}.partial", start.point.checkpoint->filename().string(),
                                  m_stores.leaders[static_cast<std::size_t>(mine())]);
}

Result<std::vector<ShardTransfer>> CheckpointStores::planFetch(const Start& start,
                                                               const std::vector<ShardWant>& wants)
{
    const std::vector<std::string> texts = m_world->gather(toText(wants));
    Result<std::vector<ShardTransfer>> plan{std::vector<ShardTransfer>()};
    if (m_world->isFirst()) {
        std::vector<ShardWant> all;
        for (const std::string& text : texts)
            std::ranges::move(wantsFromText(text), std::back_inserter(all));
        std::map<std::string, std::vector<int>> holders;
        for (std::size_t store = 0; store < m_inventories.size(); ++store) {
            if (const StoredCheckpoint* stored = m_inventories[store].find(start.hash)) {
                for (const std::string& shard : stored->shards)
                    holders[shard].push_back(static_cast<int>(store));
            }
        }
        plan = transfersFor(std::move(all), holders, m_lost);
        if (!plan.ok() && plan.error().kind == ErrorKind::BadInput &&
            !areAllWritersThere(m_inventories, start.manifest, start.hash))
            plan =
                Error{ErrorKind::Unreachable, plan.error().message,
                      fmt::format("start with the other hosts of the checkpoint of step {}, which may have "
                                  "a copy; nothing was set aside",
                                  start.point.step)};
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, plan.ok() ? Status() : plan.error()));
    return transfersFromText(m_world->broadcastText(m_world->isFirst() ? toText(*plan) : std::string()));
}

Result<BroughtSlices> CheckpointStores::fetch(const Start& start, const std::vector<ShardWant>& wants)
{
    for (;;) {
        TRAINYARD_TRY(m_brought, planFetch(start, wants));
        Status ready;
        if (leads()) {
            removeFetched(start);
            ready = makeFolder(fetched(start));
        }
        TRAINYARD_TRY_STATUS(agree(*m_world, ready));
        const ShardFolders folders{*start.point.checkpoint, fetched(start), false};
        const ExchangeOutcome outcome =
            leads() ? exchangeShards(*m_links, mine(), m_brought, folders) : ExchangeOutcome();
        if (const Status all = agree(*m_world, outcome.received); !all.ok()) {
            removeFetched(start);
            return all.error().in("bringing the checkpoint from other hosts");
        }
        if (!shareLost(start, outcome.unread))
            break;
    }
    BroughtSlices brought{fetched(start), {}};
    for (const ShardTransfer& transfer : m_brought) {
        if (transfer.to == mine())
            brought.slices.insert({transfer.file, transfer.offset});
    }
    return brought;
}

void CheckpointStores::removeFetched(const Start& start) const
{
    std::error_code ignored; // the next checkpoint tries again
    if (leads())
        fs::remove_all(fetched(start), ignored);
}

bool CheckpointStores::giveUp(const Start& start, const std::vector<SliceFault>& faults)
{
    std::vector<LostSlice> lost;
    for (const SliceFault& fault : faults) {
        const auto brought = std::ranges::find_if(m_brought, [&](const ShardTransfer& transfer) {
            return transfer.to == mine() && transfer.file == fault.file && transfer.offset == fault.offset;
        });
        const bool isFromHere = brought == m_brought.end();
        // What was brought may also have been damaged here; the host that sent it has the fault in any case.
        lost.push_back({isFromHere ? mine() : brought->from, fault.file, fault.offset, fault.isUnreadable,
                        fault.reason});
    }
    return shareLost(start, lost);
}

/// Every rank learns what any rank could not use.
bool CheckpointStores::shareLost(const Start& start, const std::vector<LostSlice>& mine)
{
    const auto texts = m_world->gather(toText(mine));
    std::set<LostSlice> lost;
    for (const std::string& text : texts) // on rank 0
        for (LostSlice& one : lostFromText(text))
            lost.insert(std::move(one));
    const auto all =
        lostFromText(m_world->broadcastText(toText(std::vector<LostSlice>(lost.begin(), lost.end()))));
    std::set<std::string> said;
    for (const LostSlice& one : all) {
        said.insert(fmt::format("{} of step {} {} on {}; its copy on another host is read", one.file,
                                start.point.step, one.isUnreadable ? "cannot be read" : "is damaged",
                                m_hosts[static_cast<std::size_t>(one.store)]));
        m_lost.push_back(one);
    }
    m_remarks.insert(m_remarks.end(), said.begin(), said.end());
    return !all.empty();
}

std::vector<std::string> CheckpointStores::takeRemarks()
{
    return std::exchange(m_remarks, {});
}

Result<CheckpointName> CheckpointStores::setAside(const Start& start)
{
    auto aside = m_world->isFirst() ? trainyard::setAside(*start.point.checkpoint, m_fence)
                                    : Result<CheckpointName>(CheckpointName());
    TRAINYARD_TRY_STATUS(agree(*m_world, aside.ok() ? Status() : aside.error()));
    return aside;
}

} // namespace trainyard
