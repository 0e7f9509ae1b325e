#include "engine/training/data/held_out_mix.h"

#include "engine/base/hash.h"
#include "engine/spec/phases/data_mix_rules.h"

namespace trainyard {

HeldOutMix::HeldOutMix(const DatasetSpec& dataset, const std::vector<Manifest>& manifests)
{
    std::vector<std::uint64_t> rows;
    for (const Manifest& manifest : manifests)
        rows.push_back(manifest.testRows());
    for (const std::size_t set : evaluatedSets(rows)) {
        const MixedDataSet of = dataset.sets()[set];
        m_sets.push_back({of.path, of.weight, manifests[set]});
    }
}

DataMix HeldOutMix::mix() const
{
    std::vector<double> weights;
    for (const Set& set : m_sets)
        weights.push_back(set.weight);
    return DataMix(weights);
}

std::uint64_t HeldOutMix::rows() const
{
    std::vector<std::uint64_t> rows;
    for (const Set& set : m_sets)
        rows.push_back(set.manifest.testRows());
    return rows.empty() ? 0 : mix().samplesWithin(rows);
}

Result<MixedRows> HeldOutMix::open(std::size_t blocksInMemory) const
{
    std::vector<MixedRows::Part> parts;
    for (const Set& set : m_sets) {
        TRAINYARD_TRY(RowSource rows,
                      RowSource::open(set.path, set.manifest, SampleOrder::Shape().rowsPerBlock,
                                      blocksInMemory, Split::Test));
        parts.push_back({std::move(rows)});
    }
    return MixedRows(std::move(parts), mix());
}

std::string HeldOutMix::hash() const
{
    std::string all;
    for (const Set& set : m_sets)
        all += set.manifest.toJson();
    return sha256Hex(all);
}

std::optional<double> HeldOutMix::bytesPerToken() const
{
    double bytes = 0;
    double weights = 0;
    for (const Set& set : m_sets) {
        const auto own = set.manifest.testBytesPerToken();
        if (!own)
            return std::nullopt;
        bytes += set.weight * *own;
        weights += set.weight;
    }
    return bytes / weights;
}

} // namespace trainyard
