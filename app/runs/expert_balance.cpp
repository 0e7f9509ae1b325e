#include "app/runs/expert_balance.h"

#include <algorithm>
#include <numeric>

namespace trainyard {

namespace {

LayerBalance balanceOf(const ExpertLoad& load, std::size_t layer)
{
    const std::vector<double> shares = sharesOf(load, layer);
    const auto [least, most] = std::ranges::minmax_element(shares);
    return {load.layers[layer], static_cast<int>(most - shares.begin()), *most, *least,
            static_cast<int>(std::ranges::count_if(shares, [](double share) { return share < kIdleShare; }))};
}

} // namespace

std::vector<double> sharesOf(const ExpertLoad& load, std::size_t layer)
{
    const auto pairs = load.ofLayer(layer);
    const double even = std::accumulate(pairs.begin(), pairs.end(), 0.0) / load.experts;
    std::vector<double> shares;
    for (const std::uint32_t count : pairs)
        shares.push_back(even > 0 ? count / even : 0);
    return shares;
}

std::vector<LayerBalance> balanceOf(const ExpertLoad& load)
{
    std::vector<LayerBalance> layers;
    for (std::size_t layer = 0; layer < load.layers.size(); ++layer)
        layers.push_back(balanceOf(load, layer));
    return layers;
}

} // namespace trainyard
