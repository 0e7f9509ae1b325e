#include "engine/planner/search/tradeoffs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr double kWorthAWord = 0.01;

/// What a layout is judged by; the smaller, the better.
std::array<double, 3> objectivesOf(const FoundLayout& layout)
{
    return {1 / layout.sequencesPerSecond, layout.costPerMillionSequences,
            static_cast<double>(layout.onDevice)};
}

class Comparison {
public:
    /// Compares a metric that is better when it is smaller. `better` and `worse` follow the share.
    void compareShares(double own, double other, const char* better, const char* worse)
    {
        const double change = other > 0 ? own / other - 1 : 0;
        if (std::abs(change) >= kWorthAWord)
            add(change < 0, fmt::format("{:.0f} % {}", 100 * std::abs(change), change < 0 ? better : worse));
    }

    void compareBytes(Bytes own, Bytes other, const char* where)
    {
        const Bytes change = std::max(own, other) - std::min(own, other);
        if (static_cast<double>(change) < kWorthAWord * static_cast<double>(std::max(own, other)) ||
            change == 0)
            return;
        add(own < other, fmt::format("{} {} {}", formatBytes(change), own < other ? "less" : "more", where));
    }

    void compareBubbles(double own, double other)
    {
        if (std::abs(own - other) >= kWorthAWord)
            add(own < other,
                fmt::format("bubble {:.0f} % of the step instead of {:.0f} %", 100 * own, 100 * other));
    }

    Tradeoffs take() { return std::move(m_found); }

private:
    void add(bool better, std::string words)
    {
        (better ? m_found.gains : m_found.losses).push_back(std::move(words));
    }

    Tradeoffs m_found;
};

} // namespace

Tradeoffs tradeoffs(const FoundLayout& layout, const FoundLayout& other)
{
    Comparison comparison;
    comparison.compareShares(1 / layout.sequencesPerSecond, 1 / other.sequencesPerSecond, "less time",
                             "more time");
    comparison.compareShares(layout.costPerMillionSequences, other.costPerMillionSequences, "cheaper",
                             "dearer");
    comparison.compareBytes(layout.onDevice, other.onDevice, "on the device");
    comparison.compareBytes(layout.onHost, other.onHost, "on the host");
    comparison.compareBubbles(layout.bubbleShare(), other.bubbleShare());
    return comparison.take();
}

bool isDominated(const FoundLayout& layout, const FoundLayout& other)
{
    const auto own = objectivesOf(layout);
    const auto others = objectivesOf(other);
    return own != others && std::equal(others.begin(), others.end(), own.begin(), std::less_equal<>());
}

// What dominates comes first in the order of the objectives, and what is dominated dominates nothing that its
// own dominator does not: each is compared with those alone that are kept already.
std::vector<FoundLayout> paretoSet(const std::vector<FoundLayout>& layouts)
{
    std::vector<const FoundLayout*> ranked;
    for (const FoundLayout& layout : layouts)
        ranked.push_back(&layout);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto* a, const auto* b) { return objectivesOf(*a) < objectivesOf(*b); });
    std::vector<const FoundLayout*> kept;
    for (const FoundLayout* layout : ranked) {
        if (std::none_of(kept.begin(), kept.end(),
                         [&](const FoundLayout* other) { return isDominated(*layout, *other); }))
            kept.push_back(layout);
    }
    std::sort(kept.begin(), kept.end()); // back into their order
    std::vector<FoundLayout> set;
    for (const FoundLayout* layout : kept)
        set.push_back(*layout);
    return set;
}

} // namespace trainyard
