#pragma once

#include <span>

#include <torch/types.h>

#include "engine/base/result.h"
#include "engine/generation/prompts.h"

namespace trainyard {

at::Tensor tensorOf(const TokenIds& ids); ///< int64

/// What a model computed for a few places, on the host.
class LogitRows {
public:
    /// `logits` [M, V]. Failed when a value is not finite.
    static Result<LogitRows> of(const at::Tensor& logits_MV);

    /// Of the place with that index the logits of all tokens; valid as long as the object.
    std::span<const double> row(std::size_t index) const;

private:
    explicit LogitRows(at::Tensor values) : m_values(std::move(values)) {}

    at::Tensor m_values; // float64, contiguous
};

} // namespace trainyard
