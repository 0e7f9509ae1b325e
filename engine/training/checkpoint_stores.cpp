#include "engine/training/checkpoint_stores.h"

#include <algorithm>
#include <array>
#include <map>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
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

std::string thisHost()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this host";
}

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

CheckpointStores::CheckpointStores(ProcessGroup& world, fs::path folder, Fence fence, FolderStores stores)
    : m_world(&world), m_folder(std::move(folder)), m_fence(std::move(fence)), m_stores(std::move(stores))
{
}

Result<CheckpointStores> CheckpointStores::find(ProcessGroup& world, GroupMaker& maker, const fs::path& folder,
                                                const FolderSharing& sharing, bool makes, const Fence& fence)
{
    TRAINYARD_TRY(FolderStores found, findFolderStores(world, folder, sharing, makes));
    CheckpointStores stores(world, folder, fence, std::move(found));
    if (stores.count() == 1)
        return Result<CheckpointStores>(std::move(stores));
    stores.nameHosts();
    std::vector<Rank> leaders;
    for (const int leader : stores.m_stores.leaders)
        leaders.push_back(Rank{leader});
    if (stores.leads())
        stores.m_links = std::make_unique<MessageLinks>(makeMessageLinks(maker, leaders));
    // On the head its supervisor does it.
    TRAINYARD_TRY_STATUS(agree(world, makes && stores.leadsElsewhere() ? fence.raise() : Status()));
    return Result<CheckpointStores>(std::move(stores));
}

bool CheckpointStores::leads() const
{
    return m_stores.leaders[static_cast<std::size_t>(mine())] == m_world->rank().value;
}

void CheckpointStores::nameHosts()
{
    std::string all;
    const std::vector<std::string> names = m_world->gather(thisHost());
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

Status CheckpointStores::finishPublicationsEverywhere()
{
    Status finished;
    if (leads()) {
        const auto names =
            unfinishedPublications(m_inventories[static_cast<std::size_t>(mine())], m_inventories);
        finished = names.empty() ? Status() : m_fence.check();
        if (finished.ok())
            finished = finishPublications(m_folder, names);
    }
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
Status CheckpointStores::tellHead()
{
    Status told;
    const LineRecord common = commonRecord(m_inventories);
    if (m_world->isFirst() && !(common == m_inventories.front().record)) {
        LineRecord record = common;
        record.latest.clear(); // the head has no `latest`
        told = record.save(m_folder);
    }
    for (const UnknownCheckpoint& unknown : unknownToHead(m_inventories)) {
        TRAINYARD_TRY(const std::string manifest, manifestFrom(unknown.store, unknown.name.text()));
        if (m_world->isFirst() && told.ok())
            told = keepManifest(m_folder, unknown.name, manifest, m_fence);
    }
    return agree(*m_world, told);
}

/// On rank 0, for its own folder's checkpoints.
CheckpointHealth CheckpointStores::examine(const CheckpointName& name) const
{
    const fs::path folder = m_folder / name.text();
    const CheckpointHealth here = examineIndex(folder);
    if (count() == 1 && here.state != CheckpointState::Complete)
        return here;
    const auto manifest = CheckpointManifest::load(folder / kManifestName);
    if (!manifest.ok() || (count() == 1 && manifest->places.empty()))
        return here;
    const auto stored = StoredCheckpoint::read(folder, name);
    if (!stored)
        return here;
    const CheckpointHealth whole = count() == 1
                                       ? healthOver({{thisHost(), {}, {*stored}}}, *manifest, stored->hash)
                                       : healthOver(m_inventories, *manifest, stored->hash);
    // Of a checkpoint that one folder should have whole, that folder says best what is wrong.
    return whole.state != CheckpointState::Complete && manifest->places.empty() ? here : whole;
}

Status CheckpointStores::followHeadEverywhere()
{
    auto head = m_world->isFirst() ? StoreInventory::read(m_folder, m_hosts.front())
                                   : Result<StoreInventory>(StoreInventory());
    TRAINYARD_TRY_STATUS(agree(*m_world, head.ok() ? Status() : head.error()));
    m_inventories.front() =
        inventoryFromText(m_world->broadcastText(m_world->isFirst() ? toText(*head) : std::string()));
    const StoreInventory& mine = m_inventories[static_cast<std::size_t>(this->mine())];
    const StoreInventory& names = m_inventories.front();
    return agree(*m_world, leadsElsewhere() ? followHead(m_folder, renamesToFollow(mine, names), names.record,
                                                         m_fence)
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
    if (count() > 1) {
        TRAINYARD_TRY_STATUS(compareFolders());
        TRAINYARD_TRY_STATUS(finishPublicationsEverywhere());
        TRAINYARD_TRY_STATUS(tellHead());
    }
    auto point = m_world->isFirst()
                     ? prepareStart(m_folder, m_fence, [this](const CheckpointName& name) { return examine(name); })
                     : Result<StartPoint>(StartPoint());
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

std::set<std::string> CheckpointStores::shardsHere(const Start& start) const
{
    const StoredCheckpoint* stored = m_inventories[static_cast<std::size_t>(mine())].find(start.hash);
    return stored ? std::set<std::string>(stored->shards.begin(), stored->shards.end())
                  : std::set<std::string>();
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
        plan = transfersFor(std::move(all), holders);
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, plan.ok() ? Status() : plan.error()));
    return transfersFromText(m_world->broadcastText(m_world->isFirst() ? toText(*plan) : std::string()));
}

Result<std::vector<fs::path>> CheckpointStores::fetch(const Start& start, const std::vector<ShardWant>& wants)
{
    TRAINYARD_TRY(m_brought, planFetch(start, wants));
    Status ready;
    if (leads()) {
        removeFetched(start);
        ready = makeFolder(fetched(start));
    }
    TRAINYARD_TRY_STATUS(agree(*m_world, ready));
    const ShardFolders folders{*start.point.checkpoint, fetched(start), false};
    const Status brought =
        leads() ? exchangeShards(*m_links, mine(), m_brought, folders) : Status();
    if (const Status all = agree(*m_world, brought); !all.ok()) {
        removeFetched(start);
        return all.error().in("bringing the checkpoint from other hosts");
    }
    return std::vector<fs::path>{fetched(start), *start.point.checkpoint};
}

void CheckpointStores::removeFetched(const Start& start) const
{
    std::error_code ignored; // the next checkpoint tries again
    if (leads())
        fs::remove_all(fetched(start), ignored);
}

std::vector<std::string> CheckpointStores::giveUp(const Start& start, const std::string& shard)
{
    int store = mine();
    for (const ShardTransfer& transfer : m_brought) {
        if (transfer.to == mine() && transfer.file == shard)
            store = transfer.from;
    }
    const auto texts = m_world->gather(
        toText(shard.empty() ? std::vector<ShardWant>() : std::vector<ShardWant>{{store, shard, 0, 0}}));
    std::set<ShardWant> wrong;
    for (const std::string& text : texts) { // on rank 0
        for (ShardWant& one : wantsFromText(text))
            wrong.insert(std::move(one));
    }
    const std::string all = m_world->broadcastText(toText(std::vector<ShardWant>(wrong.begin(), wrong.end())));
    std::vector<std::string> said;
    for (const ShardWant& one : wantsFromText(all)) {
        const auto number = static_cast<std::size_t>(one.store);
        for (StoredCheckpoint& stored : m_inventories[number].checkpoints) {
            if (stored.hash == start.hash)
                std::erase(stored.shards, one.file);
        }
        said.push_back(fmt::format("{} of step {} is damaged on {}; its copy on another host is read", one.file,
                                   start.point.step, m_hosts[number]));
    }
    const bool isWhole =
        healthOver(m_inventories, start.manifest, start.hash).state == CheckpointState::Complete;
    return isWhole ? said : std::vector<std::string>();
}

Result<CheckpointName> CheckpointStores::setAside(const Start& start)
{
    auto aside = m_world->isFirst() ? trainyard::setAside(*start.point.checkpoint, m_fence)
                                    : Result<CheckpointName>(CheckpointName());
    TRAINYARD_TRY_STATUS(agree(*m_world, aside.ok() ? Status() : aside.error()));
    return aside;
}

} // namespace trainyard
