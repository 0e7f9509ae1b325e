// What the planner says of our own engine, against what it does: peak memory and step time of the twenty
// layouts of tests/support/layouts, run by the real worker on this machine.
//
//     compare_plan [--hardware NODE.json] [--steps 12] [--calibrate 8] [--processor-time] [--measured FILE]
//
// The node is the preset "cpu-node" with as many devices as there are cores, or a profile that
// `trainyard calibrate` wrote. Times are medians of wall times: let nothing else run. On a busy machine the
// processor time of all ranks says how much they do: it is what a step takes on a single core. `--measured`
// keeps what was measured, and another run of the program compares with that instead of measuring again.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include <sys/resource.h>

#include <QTemporaryDir>
#include <QThread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/planner/calibration/calibration.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/auto/training/worker_process.h"
#include "tests/support/layouts/engine_layouts.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kWarmUpSteps = 2;

struct Options {
    std::string hardware;
    int steps = 12;
    std::size_t calibrate = 8;
    bool processorTime = false; ///< of all ranks, instead of wall time
    std::string measured;       ///< file with Figures by layout
};

/// What the worker took for a layout.
struct Figures {
    Bytes peak = 0;              ///< of the largest rank
    double seconds = 0;          ///< of a step
    double processorSeconds = 0; ///< of a step, of all ranks
};

struct Row {
    EngineLayout layout;
    StepModel model;
    Bytes planned = 0; ///< at the peak, of the largest rank
    Figures figures;
    double seconds = 0; ///< of a step, as the options want them
};

NodeModel readNode(const Options& options)
{
    if (options.hardware.empty()) {
        NodeModel node = nodePreset("cpu-node").value();
        node.devices = QThread::idealThreadCount();
        return node;
    }
    std::ifstream file(options.hardware);
    const ParsedNode parsed =
        parseNode(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
    TRAINYARD_CHECK_MSG(parsed.diagnostics.empty(), options.hardware);
    return parsed.node;
}

NodeModel nodeOf(const Options& options)
{
    NodeModel node = readNode(options);
    node.devices = options.processorTime ? 1 : node.devices;
    return node;
}

std::vector<EngineLayout> layoutsIn(const fs::path& folder)
{
    for (const auto& [name, rows] : {std::pair("encoder", kEncoderRows), std::pair("decoder", kDecoderRows)})
        TRAINYARD_CHECK(writeDataset(folder / name, {.rows = 64,
                                                     .length = rows.length,
                                                     .predictions = rows.maxPredictions,
                                                     .vocabulary = kLayoutVocabulary,
                                                     .full = true})
                            .ok());
    return engineLayouts(folder / "encoder", folder / "decoder");
}

/// Of all processes that this one has waited for.
double processorSeconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Trains from the start; the processor time that took.
double train(const RunSpec& spec, const fs::path& run, int steps)
{
    TRAINYARD_CHECK(makeRunDirectory(run, spec).ok());
    const double before = processorSeconds();
    TRAINYARD_CHECK(runWorkers({{{spec.layout.worldSize(), run}}, 1, steps}) == 0);
    return processorSeconds() - before;
}

double medianSeconds(const std::vector<StepRecord>& records)
{
    std::vector<double> seconds;
    for (std::size_t i = kWarmUpSteps; i < records.size(); ++i)
        seconds.push_back(records[i].stepSeconds);
    std::ranges::nth_element(seconds, seconds.begin() + std::ssize(seconds) / 2);
    return seconds[seconds.size() / 2];
}

Figures measure(const RunSpec& spec, const fs::path& folder, int steps)
{
    const double whole = train(spec, folder / "run", steps);
    const double begun = train(spec, folder / "begun", kWarmUpSteps);
    const std::vector<StepRecord> records = stepsOf(folder / "run");
    Figures figures{0, medianSeconds(records), (whole - begun) / (steps - double(kWarmUpSteps))};
    for (std::size_t i = kWarmUpSteps; i < records.size(); ++i) {
        for (const RankStats& rank : records[i].ranks)
            figures.peak = std::max(figures.peak, rank.peakTotal);
    }
    return figures;
}

std::map<std::string, Figures> readFigures(const std::string& path)
{
    std::map<std::string, Figures> figures;
    std::ifstream file(path);
    if (!file)
        return figures;
    const auto json = nlohmann::json::parse(file);
    for (const auto& [layout, one] : json.items())
        figures[layout] = {one["peak"], one["seconds"], one["processor_seconds"]};
    return figures;
}

void writeFigures(const std::string& path, const std::map<std::string, Figures>& figures)
{
    nlohmann::json json;
    for (const auto& [layout, one] : figures)
        json[layout] = {
            {"peak", one.peak}, {"seconds", one.seconds}, {"processor_seconds", one.processorSeconds}};
    std::ofstream(path) << json.dump(2) << '\n';
}

/// Measures what the file does not have.
std::map<std::string, Figures> figuresOf(const std::vector<EngineLayout>& layouts, const fs::path& root,
                                         const Options& options)
{
    std::map<std::string, Figures> figures = readFigures(options.measured);
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        if (figures.contains(layouts[i].name))
            continue;
        fmt::print(stderr, "{}\n", layouts[i].name);
        figures[layouts[i].name] = measure(layouts[i].spec, root / std::to_string(i), options.steps);
        if (!options.measured.empty())
            writeFigures(options.measured, figures);
    }
    return figures;
}

/// On this machine's processor.
Bytes plannedMemory(const RunSpec& spec, const SequenceShape& shape)
{
    const HostMemory here{.ranks = spec.layout.worldSize(), .math = processorMathHere()};
    return estimateMemory(spec, shape, productsOn(spec, here)).total();
}

Row rowOf(const EngineLayout& layout, const NodeModel& node, const Figures& figures, const Options& options)
{
    const SequenceShape shape = rowsOf(layout);
    return {layout, StepModel::create(layout.spec, shape, node).value(), plannedMemory(layout.spec, shape),
            figures, options.processorTime ? figures.processorSeconds : figures.seconds};
}

/// Relative to what was measured.
double errorOf(const Row& row, const TimeCoefficients& coefficients)
{
    return row.model.estimate(coefficients).seconds / row.seconds - 1;
}

/// By all rows that `chosen` says so of.
template <typename Choice>
TimeCoefficients calibratedBy(const std::vector<Row>& rows, const Choice& chosen)
{
    std::vector<MeasuredStep> steps;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (chosen(i))
            steps.push_back({&rows[i].model, rows[i].seconds});
    }
    return calibrate(steps);
}

/// Spread evenly over the rows, so that most kinds of layout calibrate.
bool calibrates(std::size_t row, std::size_t rows, std::size_t count)
{
    return (row + 1) * count / rows > row * count / rows;
}

struct MeanError {
    double sum = 0;
    int count = 0;

    void add(double error)
    {
        sum += std::abs(error);
        ++count;
    }
    double percent() const { return 100 * sum / std::max(1, count); }
};

void print(const std::vector<Row>& rows, std::size_t count)
{
    const TimeCoefficients few =
        calibratedBy(rows, [&](std::size_t i) { return calibrates(i, rows.size(), count); });
    MeanError memory, before, after, others;
    fmt::print(
        "| layout | peak MiB, planned | measured | error % | processor ms per step | ms per step, measured | "
        "planned, error % | calibrated on {}, error % | on all others, error % |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const bool used = calibrates(i, rows.size(), count);
        const auto peak = static_cast<double>(row.figures.peak);
        const double ofMemory = static_cast<double>(row.planned) / peak - 1;
        const double plain = errorOf(row, {});
        const double calibrated = errorOf(row, few);
        const double byOthers = errorOf(row, calibratedBy(rows, [i](std::size_t j) { return j != i; }));
        memory.add(ofMemory);
        before.add(plain);
        others.add(byOthers);
        if (!used)
            after.add(calibrated);
        fmt::print("| {} | {:.1f} | {:.1f} | {:+.1f} | {:.1f} | {:.1f} | {:+.1f} | {} | {:+.1f} |\n",
                   row.layout.name, static_cast<double>(row.planned) / double(kMiB), peak / double(kMiB),
                   100 * ofMemory, 1e3 * row.figures.processorSeconds, 1e3 * row.seconds, 100 * plain,
                   used ? "used" : fmt::format("{:+.1f}", 100 * calibrated), 100 * byOthers);
    }
    fmt::print("| mean | | | {:.1f} | | | {:.1f} | {:.1f} | {:.1f} |\n", memory.percent(), before.percent(),
               after.percent(), others.percent());
}

void compare(const Options& options)
{
    const QTemporaryDir directory;
    const fs::path root = directory.path().toStdString();
    const NodeModel node = nodeOf(options);
    const std::vector<EngineLayout> layouts = layoutsIn(root);
    const std::map<std::string, Figures> figures = figuresOf(layouts, root, options);
    std::vector<Row> rows;
    for (const EngineLayout& layout : layouts)
        rows.push_back(rowOf(layout, node, figures.at(layout.name), options));
    print(rows, options.calibrate);
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("The planner against our own engine");
    Options options;
    app.add_option("--hardware", options.hardware, "Profile of this machine (default: cpu-node)");
    app.add_option("--steps", options.steps, "Steps of each run")->check(CLI::Range(4, 1000));
    app.add_option("--calibrate", options.calibrate, "Layouts that calibrate")->check(CLI::Range(1, 19));
    app.add_flag("--processor-time", options.processorTime,
                 "Processor time of all ranks, for a busy machine");
    app.add_option("--measured", options.measured, "What was measured: written, or used if it is there");
    CLI11_PARSE(app, argc, argv);
    compare(options);
}
