// Processor time of an edit in Design, with the plan and all painting, by number of devices; see README.md.

#include <algorithm>
#include <ctime>
#include <vector>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QTemporaryDir>

#include <fmt/format.h>

#include "app/designer/design_page.h"
#include "app/designer/model/memory_groups.h"
#include "app/plan/planned_run.h"
#include "app/shell/desk_window.h"
#include "engine/spec/presets.h"

namespace {

using namespace trainyard;

/// 175B on so many hosts of eight A100.
RunSpec designOn(int hosts)
{
    RunSpec spec;
    spec.model = *modelPreset("gpt-175b");
    spec.precision.compute = ComputeType::BFloat16;
    spec.cluster.nodes.clear();
    for (int host = 0; host < hosts; ++host)
        spec.cluster.nodes.push_back({fmt::format("node{}", host), 8, 0, "hgx-a100"});
    spec.layout.tensor = 8;
    spec.layout.pipeline = std::min(hosts, 16);
    spec.layout.data = hosts / spec.layout.pipeline;
    spec.batch = {.global = 1536, .micro = 1, .accumulation = 1536 / spec.layout.data};
    return spec;
}

/// Median of the milliseconds of processor time that `work` takes; it is given the number of the round.
template <typename Work>
double milliseconds(int rounds, Work work)
{
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const std::clock_t before = std::clock();
        work(round);
        times.push_back(1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[static_cast<std::size_t>(rounds) / 2];
}

void measure(DeskWindow& desk, int hosts, int rounds)
{
    Session& session = desk.session();
    const RunSpec spec = designOn(hosts);
    const PlanInputs inputs{{2048, 0},
                            [&](const std::string& name) { return session.hardware().find(name); },
                            [](const NodeSpec&) { return NodeMemory(); }};
    const PlannedRun plan = planRun(spec, inputs);
    const double planning = milliseconds(rounds, [&](int) { planRun(spec, inputs); });
    const double mapping = milliseconds(rounds, [&](int) {
        const DeviceMap map(spec);
        groupMemory(map, plan.pipelineRanks, plan.hosts);
    });
    session.document().reset(spec);
    QApplication::processEvents();
    const double edit = milliseconds(rounds, [&](int round) {
        session.document().edit("Micro-batch", "batch.micro",
                                [round](RunSpec& edited) { edited.batch.micro = 1 + round % 2; });
        QApplication::processEvents(); // layouts and painting
    });
    fmt::print("{:5} devices: plan {:5.2f} ms, map of the devices {:5.2f} ms, whole edit {:5.2f} ms\n",
               8 * hosts, planning, mapping, edit);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    CLI::App app("Processor time of an edit in Design");
    int rounds = 51;
    app.add_option("--rounds", rounds, "Edits of each size")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);

    const QTemporaryDir data;
    qputenv("TRAINYARD_DATA", data.path().toLocal8Bit());
    DeskWindow desk(application, data.path().toStdString());
    desk.window().resize(1280, 800);
    desk.window().show();
    desk.window().showPage(desk.window().findChild<DesignPage*>());
    for (const int hosts : {1, 8, 128})
        measure(desk, hosts, rounds);
    return 0;
}
