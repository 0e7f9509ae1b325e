#include "engine/hand_over/card_sections.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/units.h"
#include "engine/hand_over/card_text.h"
#include "engine/spec/names.h"

namespace trainyard::card {

namespace {

std::string layoutText(const ParallelLayout& layout)
{
    std::vector<std::string> parts{fmt::format("data {}", layout.data)};
    const auto add = [&parts](const char* name, int degree) {
        if (degree > 1)
            parts.push_back(fmt::format("{} {}", name, degree));
    };
    add("expert", layout.expert);
    if (layout.shard > 0)
        parts.push_back(fmt::format("states shared by {}", layout.shard));
    add("context", layout.context);
    add("tensor", layout.tensor);
    if (layout.sequence && layout.tensor > 1)
        parts.emplace_back("sequence parallel");
    if (layout.pipeline > 1)
        parts.push_back(fmt::format("pipeline {} ({})", layout.pipeline, nameOf(layout.schedule)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string memoryText(const MemorySpec& memory)
{
    std::vector<std::string> parts;
    if (memory.zeroStage > 0)
        parts.push_back(fmt::format("ZeRO {}", memory.zeroStage));
    if (memory.recompute != RecomputeKind::None)
        parts.push_back(fmt::format("{} recomputation", nameOf(memory.recompute)));
    const auto addIf = [&parts](bool isOn, const char* text) {
        if (isOn)
            parts.emplace_back(text);
    };
    addIf(memory.offloadActivations, "activations offloaded");
    addIf(memory.offloadOptimizer, "optimizer offloaded");
    addIf(memory.offloadParameters, "weights offloaded");
    return fmt::format("{}", fmt::join(parts, ", "));
}

Rows hardwareRows(const CardFacts& facts)
{
    const RunSpec spec = facts.phase();
    Rows rows{{"Ranks", std::to_string(spec.layout.worldSize())},
              {"Layout", layoutText(spec.layout)},
              {"Micro-batch", fmt::format("{}, {} per step", groupedCount(spec.batch.micro, "row"),
                                          groupedCount(spec.batch.accumulation, "time"))}};
    if (const std::string memory = memoryText(spec.memory); !memory.empty())
        rows.push_back({"Memory", memory});
    if (!facts.hardware.empty())
        rows.push_back({"Hardware", plain(facts.hardware)});
    if (facts.history && facts.history->steps == facts.step.value) {
        const auto time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * facts.history->seconds));
        rows.push_back({"Time of its steps", formatDuration(time)});
    }
    if (facts.history && facts.history->attempts > 1)
        rows.push_back(
            {"Attempts", fmt::format("{}; this is the layout of the last one", facts.history->attempts)});
    rows.push_back({"Software", std::string("Trainyard ") + TRAINYARD_VERSION});
    return rows;
}

} // namespace

std::string layout(const CardFacts& facts)
{
    return "\n### Layout and hardware\n\n" + table({"", ""}, hardwareRows(facts));
}

} // namespace trainyard::card
