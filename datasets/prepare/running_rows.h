#pragma once

#include "datasets/prepare/final_rows.h"
#include "datasets/pretraining/token_rows.h"

namespace trainyard {

/// Rows of running text, as instances that have neither a second side nor masks.
class RunningRows final : public FinalRows {
public:
    /// Takes the arguments of TokenRows.
    template <typename... Arguments>
    explicit RunningRows(Arguments&&... arguments) : m_text(std::forward<Arguments>(arguments)...)
    {
    }

    std::uint64_t count() const override { return m_text.rows(); }
    Status visit(std::uint64_t first, std::uint64_t count, const Take& take) const override
    {
        Instance row;
        return m_text.visit(first, count, [&](std::span<const std::int32_t> tokens) {
            row.tokens.assign(tokens.begin(), tokens.end());
            row.firstSegment = static_cast<std::uint32_t>(tokens.size());
            return take(row);
        });
    }
    std::uint64_t bytesPerReader() const override { return 0; } // some rows
    std::uint64_t dropped() const override { return m_text.droppedTokens(); }

private:
    TokenRows m_text;
};

} // namespace trainyard
