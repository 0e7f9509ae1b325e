#include "engine/nn/key_value_cache.h"

#include <ATen/ops/empty.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

at::Tensor emptyLike(const at::Tensor& part_1ALD, std::int64_t tokens)
{
    return at::empty({1, part_1ALD.size(1), tokens, part_1ALD.size(3)}, part_1ALD.options());
}

} // namespace

KeyValueCache::KeyValueCache(int layers, std::vector<std::int64_t> capacities)
    : m_layers(static_cast<std::size_t>(layers))
    , m_capacities(std::move(capacities))
    , m_entries(m_layers * m_capacities.size())
{
}

KeysAndValues KeyValueCache::append(int layer, std::size_t sequence, const KeysAndValues& next)
{
    const auto index = static_cast<std::size_t>(layer);
    TRAINYARD_CHECK(index < m_layers && sequence < m_capacities.size());
    Entry& entry = m_entries[sequence * m_layers + index];
    const std::int64_t count = next.keys.size(2);
    TRAINYARD_CHECK(entry.length + count <= m_capacities[sequence]);
    if (!entry.all.keys.defined())
        entry.all = {emptyLike(next.keys, m_capacities[sequence]),
                     emptyLike(next.values, m_capacities[sequence])};
    entry.all.keys.narrow(2, entry.length, count).copy_(next.keys);
    entry.all.values.narrow(2, entry.length, count).copy_(next.values);
    entry.length += count;
    return {entry.all.keys.narrow(2, 0, entry.length), entry.all.values.narrow(2, 0, entry.length)};
}

} // namespace trainyard
