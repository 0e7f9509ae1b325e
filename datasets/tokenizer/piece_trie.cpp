#include "datasets/tokenizer/piece_trie.h"

#include <algorithm>
#include <utility>

namespace trainyard {

namespace {

constexpr std::size_t kAlphabet = 256;

using Key = std::pair<std::string_view, std::int32_t>;

std::vector<Key> sortedKeys(const std::vector<std::string>& pieces)
{
    std::vector<Key> keys;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        if (!pieces[id].empty())
            keys.emplace_back(pieces[id], static_cast<std::int32_t>(id));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

} // namespace

/// Sorted keys that share their first `depth` bytes: the subtree of one state.
struct PieceTrie::Range {
    const Key* begin;
    const Key* end;
    std::size_t depth;
    State state;        ///< of the subtree's root; known once its parent is placed
    unsigned char byte; ///< that leads from the parent to it
};

PieceTrie::PieceTrie(const std::vector<std::string>& pieces) : m_nodes(kAlphabet + 1)
{
    const std::vector<Key> keys = sortedKeys(pieces);
    m_nodes[kRoot].check = kRoot;
    std::vector<Range> open{{keys.data(), keys.data() + keys.size(), 0, kRoot, 0}};
    std::vector<Range> children;
    while (!open.empty()) {
        const Range range = open.back();
        open.pop_back();
        insert(range, children);
        open.insert(open.end(), children.begin(), children.end());
    }
    m_nodes.resize(m_nodes.size() + kAlphabet); // so that base + byte is always inside
}

void PieceTrie::insert(const Range& range, std::vector<Range>& children)
{
    children.clear();
    const Key* key = range.begin;
    for (; key != range.end && key->first.size() == range.depth; ++key)
        m_nodes[range.state].id = key->second;
    while (key != range.end) {
        const auto byte = static_cast<unsigned char>(key->first[range.depth]);
        const Key* last = std::find_if(key, range.end, [&](const Key& other) {
            return static_cast<unsigned char>(other.first[range.depth]) != byte;
        });
        children.push_back({key, last, range.depth + 1, 0, byte});
        key = last;
    }
    if (children.empty())
        return;
    const std::uint32_t base = freeBase(children);
    m_nodes[range.state].base = base;
    for (Range& child : children) {
        child.state = base + child.byte;
        m_nodes[child.state].check = range.state;
    }
}

/// First fit from m_firstFree on. The front of the array fills up until only holes are left that hardly any
/// state fits; searching them again for every state would take quadratic time, so a long search gives them
/// up.
std::uint32_t PieceTrie::freeBase(const std::vector<Range>& children)
{
    constexpr std::size_t kLongSearch = 64;
    const std::size_t lowest = children.front().byte;
    std::size_t base = m_firstFree > lowest ? m_firstFree - lowest : 1;
    for (std::size_t tried = 0;; ++base, ++tried) {
        if (m_nodes.size() < base + kAlphabet)
            m_nodes.resize(base + 2 * kAlphabet);
        const bool fits = std::all_of(children.begin(), children.end(), [&](const Range& child) {
            return m_nodes[base + child.byte].check == kUnused;
        });
        if (!fits)
            continue;
        if (tried > kLongSearch)
            m_firstFree = base + lowest - kLongSearch;
        return static_cast<std::uint32_t>(base);
    }
}

PieceTrie::Match PieceTrie::longest(State state, std::string_view text) const
{
    Match match;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const State next = m_nodes[state].base + static_cast<unsigned char>(text[i]);
        if (m_nodes[next].check != state || next == kRoot)
            break;
        state = next;
        if (m_nodes[state].id != kNone)
            match = {m_nodes[state].id, i + 1};
    }
    return match;
}

bool PieceTrie::step(State& state, std::string_view text) const
{
    for (const char c : text) {
        const State next = m_nodes[state].base + static_cast<unsigned char>(c);
        if (m_nodes[next].check != state || next == kRoot)
            return false;
        state = next;
    }
    return true;
}

} // namespace trainyard
