#include "engine/training/data/mixed_rows.h"

#include "engine/base/check.h"

namespace trainyard {

MixedRows::MixedRows(std::vector<Part> parts, DataMix mix, std::uint64_t firstSample)
    : m_parts(std::move(parts)), m_mix(std::move(mix)), m_firstSample(firstSample)
{
    TRAINYARD_CHECK(m_parts.size() == m_mix.sets());
}

MixedRows::MixedRows(RowSource rows, std::optional<SampleOrder> order) : m_mix(std::vector{1.0})
{
    m_parts.push_back({std::move(rows), order});
}

Result<RowView> MixedRows::row(std::uint64_t sample)
{
    const DataMix::Place place = m_mix.placeOf(sample - m_firstSample);
    Part& part = m_parts[place.set];
    const std::uint64_t number = part.taken + place.sample;
    return part.rows.row(part.order ? part.order->rowOf(number) : number);
}

} // namespace trainyard
