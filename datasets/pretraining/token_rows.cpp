#include "datasets/pretraining/token_rows.h"

#include <algorithm>

#include "datasets/pretraining/counter_random.h"

namespace trainyard {

namespace {

constexpr std::size_t kStride = 64;

} // namespace

TokenRows::TokenRows(const InstanceSettings& settings, const DocumentSource& documents,
                     std::span<const std::uint32_t> ordinals, const PassCounts& passes,
                     std::int32_t separator)
    : m_documents(documents)
    , m_length(static_cast<std::uint64_t>(settings.sequenceLength))
    , m_separator(separator)
{
    m_order.reserve(passes.ofFirst(ordinals.size()));
    for (std::uint32_t pass = 0; pass < passes.most(); ++pass) {
        std::vector<std::uint32_t> used;
        for (std::size_t place = 0; place < ordinals.size(); ++place) {
            if (passes.at(place) > pass)
                used.push_back(ordinals[place]);
        }
        const auto order = orderOfPass(used, settings.seed, pass);
        m_order.insert(m_order.end(), order.begin(), order.end());
    }
    for (std::size_t place = 0; place < m_order.size(); ++place) {
        if (place % kStride == 0)
            m_begins.push_back(m_tokens);
        m_tokens += lengthAt(place);
    }
}

std::vector<std::uint32_t> TokenRows::orderOfPass(std::span<const std::uint32_t> ordinals, std::uint64_t seed,
                                                  std::uint32_t pass) const
{
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(ordinals.size());
    for (const std::uint32_t ordinal : ordinals)
        keyed.emplace_back(CounterRandom(seed, RandomStream::Order, ordinal, pass).doubleWord(), ordinal);
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::uint32_t> order;
    order.reserve(keyed.size());
    for (const auto& [key, ordinal] : keyed)
        order.push_back(ordinal);
    return order;
}

/// Goes through the stream from any of its tokens on.
class TokenRows::Walk {
public:
    Walk(const TokenRows& rows, std::uint64_t token) : m_rows(rows)
    {
        const auto after = std::upper_bound(rows.m_begins.begin(), rows.m_begins.end(), token);
        const auto stride = static_cast<std::size_t>(after - rows.m_begins.begin()) - 1;
        m_place = stride * kStride;
        m_at = token - rows.m_begins[stride];
        while (m_at >= rows.lengthAt(m_place))
            m_at -= rows.lengthAt(m_place++);
        open();
    }

    /// Fills `out` and returns the bytes of its text.
    std::uint64_t read(std::span<std::int32_t> out)
    {
        std::uint64_t bytes = 0;
        while (!out.empty()) {
            if (m_at >= m_rows.lengthAt(m_place)) {
                ++m_place;
                m_at = 0;
                open();
            }
            const std::uint64_t before = textBytesHere();
            out = out.subspan(m_at < m_document.tokens.size() ? takeTokens(out) : takeSeparator(out));
            bytes += textBytesHere() - before;
        }
        return bytes;
    }

private:
    /// Of the document up to here; a separator adds none.
    std::uint64_t textBytesHere() const
    {
        return m_document.textBytesOf(std::min<std::size_t>(m_at, m_document.tokens.size()));
    }
    void open() { m_document = m_rows.m_documents.document(m_rows.m_order[m_place]); }

    std::size_t takeTokens(std::span<std::int32_t> out)
    {
        const std::size_t count = std::min<std::size_t>(out.size(), m_document.tokens.size() - m_at);
        m_document.tokens.subspan(m_at, count).copyTo(out.data());
        m_at += count;
        return count;
    }
    std::size_t takeSeparator(std::span<std::int32_t> out)
    {
        out.front() = m_rows.m_separator;
        ++m_at;
        return 1;
    }

    const TokenRows& m_rows;
    std::size_t m_place = 0; ///< in m_order
    std::size_t m_at = 0;    ///< in the document; its size stands for the separator behind it
    Document m_document;
};

Status TokenRows::visit(std::uint64_t first, std::uint64_t count, const Visit& visit) const
{
    TRAINYARD_CHECK(first + count <= rows());
    if (count == 0)
        return {};
    Walk walk(*this, first * m_length);
    std::vector<std::int32_t> row(m_length);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t bytes = walk.read(row);
        TRAINYARD_TRY_STATUS(visit(row, bytes));
    }
    return {};
}

} // namespace trainyard
