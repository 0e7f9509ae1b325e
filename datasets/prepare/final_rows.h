#pragma once

#include <cstdint>
#include <functional>

#include "datasets/pretraining/instance.h"
#include "engine/base/result.h"

namespace trainyard {

/// The rows of the training or of the test shards in writing order. Immutable; any thread.
class FinalRows {
public:
    using Take = std::function<Status(const Instance&)>;

    virtual ~FinalRows() = default;
    virtual std::uint64_t count() const = 0;
    /// Calls take(row) for the rows first .. first + count - 1. Stops at the first failure.
    virtual Status visit(std::uint64_t first, std::uint64_t count, const Take& take) const = 0;
    /// Memory that a thread needs for visit().
    virtual std::uint64_t bytesPerReader() const = 0;
    /// Parts of the documents that are in no row, for the manifest's counters.
    virtual std::uint64_t dropped() const = 0;
};

} // namespace trainyard
