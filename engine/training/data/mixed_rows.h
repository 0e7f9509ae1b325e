#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/phases/data_mix.h"
#include "engine/training/data/row_source.h"
#include "engine/training/data/sample_order.h"

namespace trainyard {

/// The rows of one data set or of a mix, by the number of the sample that has them. DataMix says whose turn
/// it is; each data set gives its rows in the order in which it would give them alone. One thread.
class MixedRows {
public:
    struct Part {
        RowSource rows;
        std::optional<SampleOrder> order{}; ///< nullopt: as the data set has them
        std::uint64_t taken = 0;            ///< before the first sample
    };

    /// Requires as many parts as the mix has data sets. `firstSample`: where their turns begin.
    MixedRows(std::vector<Part> parts, DataMix mix, std::uint64_t firstSample = 0);
    /// One data set; without an order, as it has its rows.
    MixedRows(RowSource rows, std::optional<SampleOrder> order = {});

    /// Requires sample >= firstSample. Fastest in ascending order.
    Result<RowView> row(std::uint64_t sample);

private:
    std::vector<Part> m_parts;
    DataMix m_mix;
    std::uint64_t m_firstSample = 0;
};

} // namespace trainyard
