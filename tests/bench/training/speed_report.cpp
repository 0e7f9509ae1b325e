#include "tests/bench/training/speed_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/planner/time/step_stats.h"
#include "engine/spec/names.h"

namespace trainyard {

SpeedReport::SpeedReport(const BenchRun& asked, const BenchOptions& with, const Measurement& found)
    : run(asked), options(with), measured(found)
{
    const auto count = static_cast<double>(measured.steps.size());
    std::vector<double> seconds;
    for (const StepRecord& step : measured.steps) {
        seconds.push_back(step.stepSeconds);
        for (std::size_t p = 0; p < kStepPhases; ++p)
            phases[p] += step.ranks.front().seconds[p] / count;
    }
    std::sort(seconds.begin(), seconds.end());
    median = seconds[seconds.size() / 2];
    fastest = seconds.front();
    mean = measured.wallSeconds / count;
    processor = measured.processorSeconds / count;
    operations = stepOperations(run.spec, run.shape).model;
    if (options.peakTflops > 0)
        utilisation = stepStats(run.spec, run.shape, options.peakTflops * 1e12, median).modelUtilization;
}

std::string SpeedReport::text() const
{
    const double tokens = static_cast<double>(measured.steps.front().tokens);
    const double sequences = static_cast<double>(measured.steps.front().sequences);
    std::string text = fmt::format(
        "{}: {:.1f} ms/step median ({:.1f} fastest), {:.0f} tokens/s; processor time {:.1f} ms/step, "
        "{:.0f} tokens/s\n",
        nameOf(run.spec.precision.compute), median * 1e3, fastest * 1e3, tokens / median, processor * 1e3,
        tokens / processor);
    text += fmt::format("  {:.1f} sequences/s, {:.1f} TFLOP/s a rank", sequences / median,
                        operations / median / run.spec.layout.worldSize() * 1e-12);
    if (utilisation > 0)
        text += fmt::format(", model FLOP/s utilisation {:.1f} %", 100 * utilisation);
    text += fmt::format("\n  start {:.1f} s, the first step with it\n", measured.startSeconds);
    for (std::size_t p = 0; p < kStepPhases; ++p)
        text += fmt::format("  {:10} {:6.1f} ms\n", nameOf(static_cast<StepPhase>(p)), phases[p] * 1e3);
    const BenchMemory& memory = measured.memory;
    text += fmt::format("  tensors {} at the peak, {} planned, resident {}\n", formatBytes(memory.tensors),
                        formatBytes(memory.planned), formatBytes(memory.resident));
    if (memory.total > 0)
        text += fmt::format("  device: {} allocated, {} reserved, {} of {} in use\n",
                            formatBytes(memory.allocated), formatBytes(memory.reserved),
                            formatBytes(memory.used), formatBytes(memory.total));
    return text;
}

std::string SpeedReport::json() const
{
    const double tokens = static_cast<double>(measured.steps.front().tokens);
    const double sequences = static_cast<double>(measured.steps.front().sequences);
    nlohmann::ordered_json phaseSeconds;
    for (std::size_t p = 0; p < kStepPhases; ++p)
        phaseSeconds[std::string(nameOf(static_cast<StepPhase>(p)))] = phases[p];
    nlohmann::ordered_json losses = nlohmann::ordered_json::array();
    for (const StepRecord& step : measured.steps)
        losses.push_back(step.loss);
    const BenchMemory& memory = measured.memory;
    const nlohmann::ordered_json all{
        {"program", "trainyard"},
        {"model", options.model},
        {"compute", options.compute},
        {"optimizer", options.optimizer},
        {"device", options.device},
        {"ranks", run.spec.layout.worldSize()},
        {"threads", options.threads},
        {"length", run.shape.length},
        {"predictions", run.shape.maxPredictions},
        {"micro", options.micro},
        {"accumulation", options.accumulation},
        {"dropout", options.dropout},
        {"attention_dropout", options.attentionDropout},
        {"zero_stage", options.zeroStage},
        {"recompute", options.recompute},
        {"steps", measured.steps.size()},
        {"start_seconds", measured.startSeconds},
        {"step_seconds", median},
        {"fastest_seconds", fastest},
        {"mean_seconds", mean},
        {"processor_seconds", processor},
        {"sequences_per_second", sequences / median},
        {"tokens_per_second", tokens / median},
        {"operations", operations},
        {"tflops", operations / median / run.spec.layout.worldSize() * 1e-12},
        {"mfu", utilisation > 0 ? nlohmann::ordered_json(utilisation) : nlohmann::ordered_json()},
        {"phase_seconds", phaseSeconds},
        {"memory",
         {{"tensors", memory.tensors},
          {"planned", memory.planned},
          {"resident", memory.resident},
          {"allocated", memory.allocated},
          {"reserved", memory.reserved},
          {"used", memory.used},
          {"total", memory.total}}},
        {"losses", losses}};
    return all.dump(1) + "\n";
}

} // namespace trainyard
