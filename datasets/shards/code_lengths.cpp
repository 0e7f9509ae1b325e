#include <algorithm>

#include "datasets/shards/run_deflate.h"

namespace trainyard {

namespace {

struct Leaf {
    std::uint32_t count;
    std::uint16_t symbol;
};

/// How many codes there are of each length in Huffman's tree of the counts, which ascend.
/// Two queues, of leaves and of inner nodes, both ascending (van Leeuwen, 1976).
std::vector<int> codesPerLength(const std::vector<Leaf>& leaves)
{
    const std::size_t count = leaves.size();
    std::vector<std::uint64_t> weight(2 * count - 1);
    std::vector<std::size_t> parent(2 * count - 1);
    for (std::size_t i = 0; i < count; ++i)
        weight[i] = leaves[i].count;
    std::size_t leaf = 0, inner = count;
    for (std::size_t node = count; node < weight.size(); ++node) {
        for (int child = 0; child < 2; ++child) {
            const bool takeLeaf = leaf < count && (inner == node || weight[leaf] <= weight[inner]);
            const std::size_t taken = takeLeaf ? leaf++ : inner++;
            weight[node] += weight[taken];
            parent[taken] = node;
        }
    }
    std::vector<int> depth(weight.size());
    std::vector<int> perLength(count + 1);
    for (std::size_t node = weight.size() - 1; node-- > 0;) {
        depth[node] = depth[parent[node]] + 1;
        if (node < count)
            ++perLength[static_cast<std::size_t>(depth[node])];
    }
    return perLength;
}

/// Makes codes that are too long shorter, and others longer until the code is complete again: Kraft's sum of
/// 2^-length must be 1.
void limit(std::vector<int>& perLength, int longest)
{
    const auto most = static_cast<std::size_t>(longest);
    std::int64_t sum = 0; // in units of 2^-longest
    for (std::size_t length = most + 1; length < perLength.size(); ++length) {
        perLength[most] += perLength[length];
        perLength[length] = 0;
    }
    perLength.resize(std::max(perLength.size(), most + 1));
    for (std::size_t length = 1; length <= most; ++length)
        sum += static_cast<std::int64_t>(perLength[length]) << (most - length);
    for (; sum > std::int64_t{1} << most; --sum) {
        // One of the longest codes becomes the sibling of a shorter one, which grows by a bit.
        std::size_t length = most - 1;
        while (perLength[length] == 0)
            --length;
        --perLength[most];
        --perLength[length];
        perLength[length + 1] += 2;
    }
}

} // namespace

std::vector<std::uint8_t> codeLengths(std::span<const std::uint32_t> counts, int longest)
{
    std::vector<std::uint8_t> lengths(counts.size());
    std::vector<Leaf> leaves;
    for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
        if (counts[symbol] > 0)
            leaves.push_back({counts[symbol], static_cast<std::uint16_t>(symbol)});
    }
    if (leaves.size() < 2) {
        for (const Leaf& leaf : leaves)
            lengths[leaf.symbol] = 1;
        return lengths;
    }
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
        return a.count != b.count ? a.count < b.count : a.symbol < b.symbol;
    });
    std::vector<int> perLength = codesPerLength(leaves);
    limit(perLength, longest);
    // The rarest symbols get the longest codes.
    std::size_t length = perLength.size() - 1;
    for (const Leaf& leaf : leaves) {
        while (perLength[length] == 0)
            --length;
        --perLength[length];
        lengths[leaf.symbol] = static_cast<std::uint8_t>(length);
    }
    return lengths;
}

} // namespace trainyard
