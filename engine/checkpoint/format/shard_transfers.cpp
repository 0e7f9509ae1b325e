#include "engine/checkpoint/format/shard_transfers.h"

#include <algorithm>

#include "engine/checkpoint/format/store_agreement.h"
#include "engine/records/wire.h"

namespace trainyard {

std::vector<ShardTransfer> copiesOf(const std::vector<WrittenShard>& shards, int stores, int copies)
{
    std::vector<ShardTransfer> transfers;
    for (const WrittenShard& shard : shards) {
        for (const int store : storesOfShards(shard.store, stores, copies)) {
            if (store != shard.store)
                transfers.push_back({shard.store, store, shard.file, 0, shard.bytes});
        }
    }
    return transfers;
}

namespace {

/// Why no host gives a slice.
Error lostEverywhere(const ShardWant& want, const std::vector<LostSlice>& lost)
{
    std::string reason;
    bool isUnreadable = false;
    for (const LostSlice& one : lost) {
        if (one.file == want.file && one.offset == want.offset) {
            reason += (reason.empty() ? ": " : "; ") + one.reason;
            isUnreadable |= one.isUnreadable;
        }
    }
    const std::string message = want.file + " is whole on no host" + reason;
    return isUnreadable ? failed(message, "make it readable, then try again") : badInput(message);
}

} // namespace

Result<std::vector<ShardTransfer>> transfersFor(std::vector<ShardWant> wants,
                                                const std::map<std::string, std::vector<int>>& holders,
                                                const std::vector<LostSlice>& lost)
{
    // Ranks of one host that need the same bytes read them from one file.
    std::ranges::sort(wants);
    const auto again = std::ranges::unique(wants);
    wants.erase(again.begin(), again.end());
    std::vector<ShardTransfer> transfers;
    std::map<int, std::uint64_t> given; // bytes to send, by host
    for (const ShardWant& want : wants) {
        const auto known = holders.find(want.file);
        std::vector<int> whole = known == holders.end() ? std::vector<int>() : known->second;
        std::erase_if(whole, [&](int store) {
            return store == want.store || std::ranges::any_of(lost, [&](const LostSlice& one) {
                       return one.isOf(store, want.file, want.offset);
                   });
        });
        if (whole.empty())
            return lostEverywhere(want, lost);
        const int from = *std::ranges::min_element(whole, {}, [&](int store) { return given[store]; });
        given[from] += want.bytes;
        transfers.push_back({from, want.store, want.file, want.offset, want.bytes});
    }
    return transfers;
}

std::string toText(const std::vector<ShardWant>& wants)
{
    std::string bytes;
    WireWriter out(bytes);
    out.number(static_cast<std::uint64_t>(wants.size()));
    for (const ShardWant& want : wants) {
        out.number(static_cast<std::int32_t>(want.store));
        out.text(want.file);
        out.number(want.offset);
        out.number(want.bytes);
    }
    return bytes;
}

std::vector<ShardWant> wantsFromText(const std::string& text)
{
    WireReader in(text);
    std::vector<ShardWant> wants(in.number<std::uint64_t>());
    for (ShardWant& want : wants) {
        want.store = in.number<std::int32_t>();
        want.file = in.text();
        want.offset = in.number<std::uint64_t>();
        want.bytes = in.number<std::uint64_t>();
    }
    return wants;
}

std::string toText(const std::vector<LostSlice>& lost)
{
    std::string bytes;
    WireWriter out(bytes);
    out.number(static_cast<std::uint64_t>(lost.size()));
    for (const LostSlice& one : lost) {
        out.number(static_cast<std::int32_t>(one.store));
        out.text(one.file);
        out.number(one.offset);
        out.number(static_cast<std::uint8_t>(one.isUnreadable));
        out.text(one.reason);
    }
    return bytes;
}

std::vector<LostSlice> lostFromText(const std::string& text)
{
    WireReader in(text);
    std::vector<LostSlice> lost(in.number<std::uint64_t>());
    for (LostSlice& one : lost) {
        one.store = in.number<std::int32_t>();
        one.file = in.text();
        one.offset = in.number<std::uint64_t>();
        one.isUnreadable = in.number<std::uint8_t>() != 0;
        one.reason = in.text();
    }
    return lost;
}

std::string toText(const std::vector<ShardTransfer>& transfers)
{
    std::string bytes;
    WireWriter out(bytes);
    out.number(static_cast<std::uint64_t>(transfers.size()));
    for (const ShardTransfer& transfer : transfers) {
        out.number(static_cast<std::int32_t>(transfer.from));
        out.number(static_cast<std::int32_t>(transfer.to));
        out.text(transfer.file);
        out.number(transfer.offset);
        out.number(transfer.bytes);
    }
    return bytes;
}

std::vector<ShardTransfer> transfersFromText(const std::string& text)
{
    WireReader in(text);
    std::vector<ShardTransfer> transfers(in.number<std::uint64_t>());
    for (ShardTransfer& transfer : transfers) {
        transfer.from = in.number<std::int32_t>();
        transfer.to = in.number<std::int32_t>();
        transfer.file = in.text();
        transfer.offset = in.number<std::uint64_t>();
        transfer.bytes = in.number<std::uint64_t>();
    }
    return transfers;
}

} // namespace trainyard
