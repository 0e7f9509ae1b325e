#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/follow.h"
#include "app/cli/support/spec_input.h"
#include "app/runs/recorded_run.h"
#include "engine/base/option_checks.h"
#include "engine/spec/elastic.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// How a resumed run is spread.
struct Spread {
    std::string layoutFile;           ///< empty = as before
    std::vector<std::string> without; ///< hosts that it leaves
};

/// As the run is spread now, with the slots of hosts that are away, without the hosts that it leaves.
Result<RunSpec> specWithout(const std::string& runId, const std::vector<std::string>& hosts)
{
    TRAINYARD_TRY(const RunFacts facts,
                  readRunFacts(QString::fromStdString(runDir(QString::fromStdString(runId)).string())));
    if (!facts.spec)
        return refused("only training runs can be resumed", "start it again");
    RunSpec spec = *facts.specNow();
    for (NodeSpec& node : spec.cluster.nodes) {
        const auto launched = std::ranges::find(facts.spec->cluster.nodes, node.host, &NodeSpec::host);
        if (node.slotCount == 0 && launched != facts.spec->cluster.nodes.end())
            node.slotCount = launched->slotCount;
    }
    return withoutHosts(spec, hosts);
}

Result<int> resume(const std::string& runId, ResumeChanges changes, const Spread& spread, bool follow)
{
    if (!spread.layoutFile.empty()) {
        auto [layout, status] = readSpecInput(spread.layoutFile, false, SpecUse::Plan);
        if (status != 0)
            return status;
        changes.layout = std::move(layout);
    }
    if (!spread.without.empty()) {
        TRAINYARD_TRY(changes.layout, specWithout(runId, spread.without));
    }
    Desk desk;
    TRAINYARD_TRY(const auto run, desk.finish(desk.runs().resume(QString::fromStdString(runId), changes)));
    console::print(run);
    return follow ? followRun(desk, run) : 0;
}

} // namespace

void addResumeCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string run;
        ResumeChanges changes;
        Spread spread;
        bool follow = false;
    };
    const auto o = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("resume", "Resume from the newest complete checkpoint");
    addRunOption(*command, o->run);
    command
        ->add_option("--step", o->changes.step,
                     "Go back to the checkpoint of this step (0 = start over), listed by `trainyard "
                     "checkpoints RUN`; newer ones are kept, but no longer used")
        ->check(wholeNumberProblem<0>);
    command
        ->add_option("--learning-rate", o->changes.learningRate,
                     "New peak learning rate of the schedule, e.g. --learning-rate 5e-5 after a divergence "
                     "(default: unchanged)")
        ->check(positiveProblem);
    command->add_option(
        "--layout", o->spread.layoutFile,
        "Continue in the layout and on the hosts of this specification (JSON), with its memory settings, "
        "micro-batch, accumulation and slots; the first host, the global batch and everything else stay");
    command
        ->add_option(
            "--without", o->spread.without,
            "Continue without this host, on fewer data-parallel ranks and with the same global batch; "
            "may be repeated")
        ->allow_extra_args(false)
        ->excludes("--layout");
    addFollowFlag(*command, o->follow);
    command->callback([&outcome, o] {
        outcome.status = console::exitWith(resume(o->run, o->changes, o->spread, o->follow));
    });
}

} // namespace trainyard
