#include "engine/checkpoint/format/store_agreement.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

bool hasShard(const StoreInventory& store, const std::string& hash, const std::string& shard)
{
    const StoredCheckpoint* stored = store.find(hash);
    return stored && std::ranges::find(stored->shards, shard) != stored->shards.end();
}

std::string presentHosts(const std::vector<StoreInventory>& stores)
{
    std::vector<std::string> hosts;
    for (const StoreInventory& store : stores)
        hosts.push_back(store.host);
    return fmt::format("{}", fmt::join(hosts, ", "));
}

std::string unreadableOn(const std::vector<StoreInventory>& stores, const std::string& hash, Step step)
{
    for (const StoreInventory& store : stores) {
        for (const StoredCheckpoint& stored : store.checkpoints) {
            const bool isThis = stored.hash == hash || (stored.hash.empty() && stored.name.step == step);
            if (stored.isPublished && isThis && !stored.unreadable.empty())
                return fmt::format("{}: {}", store.host, stored.unreadable);
        }
    }
    return {};
}

/// The host is there with the checkpoint, or with a wrong manifest in its place: what it lacks is lost.
bool accountsFor(const StoreInventory& store, const std::string& hash, Step step)
{
    return store.find(hash) || std::ranges::any_of(store.checkpoints, [&](const StoredCheckpoint& stored) {
               return stored.isPublished && stored.name.step == step && !stored.wrong.empty();
           });
}

/// The step from which the checkpoints of the line on which `mine` is belong to a line that `history` has
/// left.
std::int64_t whereLeft(const LineRecord& mine, const LineRecord& history)
{
    if (!history.continues(mine) || history.lines.size() == mine.lines.size())
        return 0;
    const CheckpointLine& next = history.lines[mine.lines.size()];
    return next.parent == mine.present().number ? next.from : 0;
}

std::int64_t newestStep(const StoreInventory& store)
{
    std::int64_t newest = -1;
    for (const StoredCheckpoint& stored : store.checkpoints) {
        if (stored.isPublished && stored.name.isPresent() && !stored.hash.empty())
            newest = std::max(newest, stored.name.step.value);
    }
    return newest;
}

/// Renames one after another, so that each finds its new name free.
class RenameOrder {
public:
    explicit RenameOrder(const StoreInventory& store)
    {
        for (const StoredCheckpoint& stored : store.checkpoints) {
            if (stored.isPublished)
                m_taken.insert(stored.name);
        }
    }

    std::vector<LineSwitch::Rename> of(std::vector<LineSwitch::Rename> wanted)
    {
        while (!wanted.empty()) {
            const auto free = std::ranges::find_if(
                wanted, [this](const LineSwitch::Rename& one) { return !m_taken.contains(one.to); });
            if (free == wanted.end())
                setAside(wanted.front().to, wanted);
            else {
                rename(*free);
                wanted.erase(free);
            }
        }
        return m_order;
    }

private:
    void rename(const LineSwitch::Rename& one)
    {
        m_taken.erase(one.from);
        m_taken.insert(one.to);
        m_order.push_back(one);
    }

    /// What has this name may itself still be renamed, from its new name then.
    void setAside(const CheckpointName& name, std::vector<LineSwitch::Rename>& wanted)
    {
        CheckpointName aside = name;
        do
            ++aside.damaged;
        while (m_taken.contains(aside));
        for (LineSwitch::Rename& one : wanted) {
            if (one.from == name)
                one.from = aside;
        }
        rename({name, aside});
    }

    std::set<CheckpointName> m_taken;
    std::vector<LineSwitch::Rename> m_order;
};

} // namespace

std::vector<int> storesOfShards(int store, int stores, int copies)
{
    std::vector<int> all{store};
    for (int next = 1; next <= std::min(copies, stores - 1); ++next)
        all.push_back((store + next) % stores);
    return all;
}

Result<std::size_t> storeOfHistory(const std::vector<StoreInventory>& stores)
{
    std::size_t longest = 0;
    for (std::size_t i = 1; i < stores.size(); ++i) {
        const bool isLonger = stores[i].record.lines.size() > stores[longest].record.lines.size();
        if (isLonger || (stores[longest].isBlank() && !stores[i].isBlank()))
            longest = i;
    }
    for (const StoreInventory& store : stores) {
        if (!stores[longest].record.continues(store.record))
            return refused(
                fmt::format("the run went on on {} and on {} without each other: their checkpoints are "
                            "of different lines",
                            stores[longest].host, store.host),
                "leave one of these hosts out, or rename its folder `checkpoints`; nothing was "
                "changed");
    }
    return longest;
}

std::vector<std::string> absentHosts(const LineRecord& history, const std::vector<StoreInventory>& stores)
{
    std::vector<std::string> absent;
    for (const std::string& host : history.hosts) {
        const bool isThere = std::ranges::any_of(stores, [&](const StoreInventory& store) {
            const auto& own = store.record.hosts; // without itself, it has not completed a start
            return store.host == host && store.record.lines == history.lines &&
                   std::ranges::find(own, host) != own.end();
        });
        if (!isThere)
            absent.push_back(host);
    }
    return absent;
}

std::optional<UnreadableElsewhere> newestUnreadable(const std::vector<StoreInventory>& stores)
{
    std::optional<UnreadableElsewhere> newest;
    for (const StoreInventory& store : stores) {
        for (const StoredCheckpoint& stored : store.checkpoints) {
            const bool isUnknown =
                stored.hash.empty() && !stored.unreadable.empty() && stored.name.isPresent();
            if (isUnknown && (!newest || stored.name.step > newest->step))
                newest = {stored.name.step, fmt::format("{}: {}", store.host, stored.unreadable)};
        }
    }
    return newest;
}

std::string wrongManifest(const std::vector<StoreInventory>& stores)
{
    for (const StoreInventory& store : stores) {
        for (const StoredCheckpoint& stored : store.checkpoints) {
            if (stored.name.isPresent() && !stored.wrong.empty())
                return fmt::format("{}: {}", store.host, stored.wrong);
        }
    }
    return {};
}

std::vector<Publication> unfinishedPublications(const StoreInventory& mine,
                                                const std::vector<StoreInventory>& stores)
{
    std::vector<Publication> unfinished;
    for (const StoredCheckpoint& stored : mine.checkpoints) {
        // A later one of the same step has just taken its place here: it was on its way out.
        const bool isReplaced = std::ranges::any_of(mine.checkpoints, [&](const StoredCheckpoint& other) {
            return other.isPublished && other.replaces == stored.hash;
        });
        if (stored.isPublished || isReplaced || mine.find(stored.hash))
            continue;
        const auto publisher = std::ranges::find_if(
            stores, [&](const StoreInventory& store) { return store.find(stored.hash) != nullptr; });
        if (publisher != stores.end())
            unfinished.push_back({stored.name, publisher->find(stored.hash)->name});
    }
    return unfinished;
}

std::vector<StoreInventory> afterPublications(std::vector<StoreInventory> stores)
{
    const std::vector<StoreInventory> before = stores;
    for (StoreInventory& store : stores) {
        for (const Publication& publication : unfinishedPublications(store, before)) {
            // One of that name makes room for it.
            std::erase_if(store.checkpoints, [&](const StoredCheckpoint& stored) {
                return stored.isPublished && stored.name == publication.name;
            });
            for (StoredCheckpoint& stored : store.checkpoints) {
                if (!stored.isPublished && stored.name == publication.prepared) {
                    stored.isPublished = true;
                    stored.name = publication.name;
                }
            }
        }
    }
    return stores;
}

std::vector<UnknownCheckpoint> unknownToHead(const std::vector<StoreInventory>& stores)
{
    const StoreInventory& head = stores.front();
    const std::int64_t newest = newestStep(head);
    std::vector<UnknownCheckpoint> unknown;
    const auto isNew = [&](const StoredCheckpoint& stored) {
        const StoredCheckpoint* onHead = head.find(stored.name);
        const bool isWrongThere = onHead && !onHead->wrong.empty();
        return isWrongThere || (stored.name.isPresent() && stored.name.step.value > newest);
    };
    const auto isKnown = [&](const StoredCheckpoint& stored) {
        return head.find(stored.hash) || std::ranges::any_of(unknown, [&](const UnknownCheckpoint& one) {
                   return one.name == stored.name;
               });
    };
    for (std::size_t store = 1; store < stores.size(); ++store) {
        for (const StoredCheckpoint& stored : stores[store].checkpoints) {
            if (stored.isPublished && !stored.hash.empty() && isNew(stored) && !isKnown(stored))
                unknown.push_back({store, stored.name, stored.hash});
        }
    }
    return unknown;
}

bool areAllWritersThere(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                        const std::string& hash)
{
    // Those of its other shards too: hosts of one name may be told apart in another order than then.
    return std::ranges::all_of(manifest.hosts(), [&](const std::string& host) {
        return std::ranges::any_of(stores, [&](const StoreInventory& store) {
            return store.host == host && accountsFor(store, hash, manifest.position.step);
        });
    });
}

CheckpointHealth healthOver(const std::vector<StoreInventory>& stores, const CheckpointManifest& manifest,
                            const std::string& hash)
{
    for (const std::string& shard : manifest.shards()) {
        if (std::ranges::any_of(stores,
                                [&](const StoreInventory& store) { return hasShard(store, hash, shard); }))
            continue;
        if (const std::string unreadable = unreadableOn(stores, hash, manifest.position.step);
            !unreadable.empty())
            return {CheckpointState::Unreadable, unreadable, false};
        const bool isLost = areAllWritersThere(stores, manifest, hash);
        return {isLost ? CheckpointState::Damaged : CheckpointState::Incomplete,
                fmt::format("{} is on none of the hosts present ({}); it was written on {}", shard,
                            presentHosts(stores), manifest.hostsOf(shard)),
                false};
    }
    return {};
}

std::vector<LineSwitch::Rename> renamesToFollow(const StoreInventory& mine, const StoreInventory& head)
{
    std::vector<LineSwitch::Rename> wanted;
    const std::int64_t left = whereLeft(mine.record, head.record);
    for (const StoredCheckpoint& stored : mine.checkpoints) {
        if (!stored.isPublished)
            continue;
        CheckpointName name = stored.name;
        if (const StoredCheckpoint* there = head.find(stored.hash))
            name = there->name;
        else if (name.isPresent() && mine.record.lines != head.record.lines && name.step.value >= left)
            name.line = mine.record.present().number;
        if (name != stored.name)
            wanted.push_back({stored.name, name});
    }
    return RenameOrder(mine).of(std::move(wanted));
}

} // namespace trainyard
