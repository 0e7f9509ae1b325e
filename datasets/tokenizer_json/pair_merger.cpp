#include "datasets/tokenizer_json/pair_merger.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace trainyard {

namespace {

constexpr std::size_t kFew = 48; // ids that are merged faster by looking at all of them again and again
constexpr std::uint32_t kEnd = ~0u;

} // namespace

void PairMerger::merge(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin)
{
    if (ids.size() - begin <= kFew)
        mergeFew(table, ids, begin);
    else
        mergeMany(table, ids, begin);
}

void PairMerger::mergeFew(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin)
{
    std::size_t size = ids.size() - begin;
    if (size < 2)
        return;
    std::int32_t* const tokens = ids.data() + begin;
    std::array<MergeTable::Merge, kFew> pairs; // of each token with the next one
    for (std::size_t i = 0; i + 1 < size; ++i)
        pairs[i] = table.find(tokens[i], tokens[i + 1]);
    while (size > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < size; ++i)
            best = pairs[i].rank < pairs[best].rank ? i : best;
        if (pairs[best].rank == MergeTable::kNone)
            break;
        tokens[best] = pairs[best].id;
        --size;
        std::memmove(tokens + best + 1, tokens + best + 2, (size - best - 1) * sizeof(tokens[0]));
        if (best + 1 < size) {
            std::memmove(&pairs[best + 1], &pairs[best + 2], (size - best - 2) * sizeof(pairs[0]));
            pairs[best] = table.find(tokens[best], tokens[best + 1]);
        }
        if (best > 0)
            pairs[best - 1] = table.find(tokens[best - 1], tokens[best]);
    }
    ids.resize(begin + size);
}

void PairMerger::propose(const MergeTable& table, std::uint32_t left)
{
    if (left == kEnd || m_tokens[left].next == kEnd)
        return;
    const MergeTable::Merge merge = table.find(m_tokens[left].id, m_tokens[m_tokens[left].next].id);
    if (merge.rank == MergeTable::kNone)
        return;
    m_candidates.push_back({merge.rank, left, merge.id});
    std::push_heap(m_candidates.begin(), m_candidates.end());
}

void PairMerger::mergeMany(const MergeTable& table, std::vector<std::int32_t>& ids, std::size_t begin)
{
    constexpr std::int32_t kGone = -1;
    const auto size = static_cast<std::uint32_t>(ids.size() - begin);
    m_tokens.clear();
    m_candidates.clear();
    for (std::uint32_t i = 0; i < size; ++i)
        m_tokens.push_back({ids[begin + i], i == 0 ? kEnd : i - 1, i + 1 == size ? kEnd : i + 1});
    for (std::uint32_t i = 0; i < size; ++i)
        propose(table, i);
    while (!m_candidates.empty()) {
        std::pop_heap(m_candidates.begin(), m_candidates.end());
        const Candidate best = m_candidates.back();
        m_candidates.pop_back();
        Token& left = m_tokens[best.left];
        if (left.id == kGone || left.next == kEnd ||
            table.find(left.id, m_tokens[left.next].id).rank != best.rank)
            continue; // one of the two has been merged since
        Token& right = m_tokens[left.next];
        left = {best.id, left.previous, right.next};
        right.id = kGone;
        if (left.next != kEnd)
            m_tokens[left.next].previous = best.left;
        propose(table, left.previous);
        propose(table, best.left);
    }
    ids.resize(begin);
    for (std::uint32_t i = 0; i != kEnd; i = m_tokens[i].next)
        ids.push_back(m_tokens[i].id);
}

} // namespace trainyard
