#include "engine/nn/dropout_mask.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/kernel.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kLanes = 16; // blocks side by side
constexpr std::uint64_t kLowWord = 0xffffffffu;

// philox() of philox.h. Words lie in 64 bits, so that the products and their halves stay where they are, and
// the rounds are unrolled: then a loop over blocks becomes vector code with all state in registers.
struct WideBlock {
    std::uint64_t c0, c1, c2, c3;
};

inline __attribute__((always_inline)) WideBlock philoxWide(WideBlock c, std::uint32_t key0,
                                                           std::uint32_t key1)
{
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * c.c0;
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * c.c2;
        c = {(b >> 32) ^ c.c1 ^ key0, b & kLowWord, (a >> 32) ^ c.c3 ^ key1, a & kLowWord};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

TRAINYARD_VECTOR_CLONES
void fillGroups(std::uint8_t* mask, std::uint32_t firstBlock, std::int64_t groups, std::uint64_t dropBelow,
                const PhiloxCounter& counter, const PhiloxKey& key)
{
    const std::uint64_t c1 = counter[1];
    const std::uint64_t c2 = counter[2];
    const std::uint64_t c3 = counter[3];
    const std::uint32_t key0 = key[0];
    const std::uint32_t key1 = key[1];
    for (std::int64_t group = 0; group < groups; ++group, firstBlock += kLanes, mask += kDropoutGroup) {
        std::uint8_t kept[kDropoutGroup];
#pragma GCC unroll 1
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const WideBlock words = philoxWide({firstBlock + lane, c1, c2, c3}, key0, key1);
            kept[lane] = words.c0 >= dropBelow;
            kept[kLanes + lane] = words.c1 >= dropBelow;
            kept[2 * kLanes + lane] = words.c2 >= dropBelow;
            kept[3 * kLanes + lane] = words.c3 >= dropBelow;
        }
        std::memcpy(mask, kept, sizeof kept);
    }
}

// Groups whose blocks have the same high word.
constexpr std::int64_t kGroupsOfKey = (std::int64_t{1} << 32) / kLanes;

void fillWholeGroups(std::uint8_t* mask, std::int64_t firstGroup, std::int64_t groups,
                     std::uint64_t dropBelow, const PhiloxCounter& counter, const PhiloxKey& seed)
{
    while (groups > 0) {
        const std::int64_t sameKey = std::min(groups, kGroupsOfKey - firstGroup % kGroupsOfKey);
        const std::int64_t block = firstGroup * kLanes;
        fillGroups(mask, static_cast<std::uint32_t>(block), sameKey, dropBelow, counter,
                   dropoutKey(block, seed));
        mask += sameKey * kDropoutGroup;
        firstGroup += sameKey;
        groups -= sameKey;
    }
}

// Elements [first, first + count) of the group.
void fillPartOfGroup(std::uint8_t* mask, std::int64_t number, std::int64_t first, std::int64_t count,
                     std::uint64_t dropBelow, const PhiloxCounter& counter, const PhiloxKey& seed)
{
    std::array<std::uint8_t, kDropoutGroup> group{};
    fillWholeGroups(group.data(), number, 1, dropBelow, counter, seed);
    std::copy_n(group.begin() + first, count, mask);
}

} // namespace

void fillDropoutMask(std::uint8_t* mask, std::int64_t firstElement, std::int64_t count,
                     std::uint32_t dropBelow, const DropoutStream& stream)
{
    const PhiloxCounter counter = dropoutCounter(0, stream.step, stream.site, stream.sample);
    std::int64_t group = firstElement / kDropoutGroup;
    if (const std::int64_t skipped = firstElement % kDropoutGroup; skipped > 0 && count > 0) {
        const std::int64_t head = std::min(count, kDropoutGroup - skipped);
        fillPartOfGroup(mask, group, skipped, head, dropBelow, counter, stream.key);
        mask += head;
        count -= head;
        ++group;
    }
    const std::int64_t groups = count / kDropoutGroup;
    fillWholeGroups(mask, group, groups, dropBelow, counter, stream.key);
    if (const std::int64_t rest = count % kDropoutGroup; rest > 0)
        fillPartOfGroup(mask + groups * kDropoutGroup, group + groups, 0, rest, dropBelow, counter,
                        stream.key);
}

} // namespace trainyard
