#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>

#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/console.h"
#include "app/cli/support/hardware_input.h"
#include "app/cli/support/plan_time.h"
#include "app/cli/support/plan_validation.h"
#include "app/cli/support/planned_reading_text.h"
#include "app/cli/support/planned_shape.h"
#include "app/cli/support/problem_output.h"
#include "app/cli/support/spec_input.h"
#include "app/cli/support/state_traffic_text.h"
#include "app/plan/evaluation_summary.h"
#include "app/plan/planned_phases.h"
#include "app/plan/planned_weights.h"
#include "engine/planner/evaluation_schedule.h"
#include "engine/planner/explain/precision_remarks.h"
#include "engine/planner/layout/parameter_parts.h"
#include "engine/spec/phases/data_mix_rules.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/remarks.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxRows = 1'000'000; ///< that may calibrate

struct PlanOptions {
    std::string spec;
    ShapeInput shape;
    std::string hardware; ///< of all nodes; empty: what the specification says of each
    bool json = false;
};

QJsonObject toJson(const MemoryByCategory& bytes)
{
    QJsonObject memory;
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        memory[toQString(nameOf(static_cast<MemoryCategory>(i)))] = static_cast<qint64>(bytes[i]);
    return memory;
}

QJsonArray toJson(const std::vector<HostMemory>& hosts)
{
    QJsonArray array;
    for (const HostMemory& host : hosts) {
        QJsonObject entry{{"host", QString::fromStdString(host.host)}, {"ranks", host.ranks}};
        if (host.perRank)
            entry["memory_per_rank"] = static_cast<qint64>(*host.perRank);
        if (const auto room = host.capacity())
            entry["plannable_per_rank"] = static_cast<qint64>(*room);
        array << entry;
    }
    return array;
}

QString textOf(Bytes bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

/// "40.0 GiB, of which 36.8 GiB may be planned".
QString roomOn(const HostMemory& host)
{
    if (!host.perRank)
        return "unknown";
    const QString all = textOf(*host.perRank);
    return *host.capacity() == *host.perRank
               ? all
               : QString("%1, of which %2 can be used").arg(all, textOf(*host.capacity()));
}

/// Neighbours whose ranks have the same memory.
struct EqualHosts {
    HostMemory first;
    int count = 0;

    bool holds(const HostMemory& host) const
    {
        return std::tie(host.ranks, host.perRank, host.onDevices, host.mainPerRank, host.usableShare) ==
               std::tie(first.ranks, first.perRank, first.onDevices, first.mainPerRank, first.usableShare);
    }
    QString name() const
    {
        const QString host = QString::fromStdString(first.host);
        return count == 1 ? host : QString("%1 and %2 more").arg(host).arg(count - 1);
    }
};

std::vector<EqualHosts> groupsOf(const std::vector<HostMemory>& hosts)
{
    std::vector<EqualHosts> groups;
    for (const HostMemory& host : hosts) {
        if (groups.empty() || !groups.back().holds(host))
            groups.push_back({host, 0});
        ++groups.back().count;
    }
    return groups;
}

void printTable(const RunSpec& spec, const MemoryEstimate& estimate, const std::vector<HostMemory>& hosts)
{
    QList<QStringList> rows{{"memory per rank", "at peak", "between steps"}};
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (estimate.bytes[i])
            rows << QStringList{toQString(nameOf(static_cast<MemoryCategory>(i))), textOf(estimate.bytes[i]),
                                textOf(estimate.resident[i])};
    }
    rows << QStringList{"total", textOf(estimate.total()), textOf(estimate.residentTotal())};
    const RankNeed need = estimate.need();
    const bool offloads = need.onHost > 0 && std::ranges::any_of(hosts, &HostMemory::onDevices);
    if (offloads)
        rows << QStringList{"on the device", textOf(need.onDevice)}
             << QStringList{"in host memory", textOf(need.onHost)};
    for (const EqualHosts& group : groupsOf(hosts)) {
        rows << QStringList{"available on " + group.name(), roomOn(group.first)};
        if (offloads && group.first.mainPerRank)
            rows << QStringList{"host memory of " + group.name(), textOf(*group.first.mainPerRank)};
    }
    const auto counted = [](std::int64_t parameters, const char* kind) {
        return QString(", %1 %2,").arg(console::number(static_cast<double>(parameters)), kind);
    };
    const QString trained = spec.model.lora.isOn() ? counted(trainedParameterCount(spec.model), "trainable")
                            : spec.model.experts.isOn()
                                ? counted(activeParameterCount(spec.model), "per token")
                                : QString();
    const QString experts = spec.layout.expert > 1
                                ? QString(", experts shared by %1").arg(spec.layout.expert)
                                : QString();
    const QString shard = spec.memory.zeroStage > 0 && spec.layout.shard > 0
                              ? QString(", states shared by %1").arg(spec.layout.shard)
                              : QString();
    console::print(QString("%1 parameters%8 on %2 %3 (data %4 x context %5 x tensor %6 x pipeline %7%9)")
                       .arg(console::number(static_cast<double>(parameterCount(spec.model))))
                       .arg(spec.layout.worldSize())
                       .arg(spec.layout.worldSize() == 1 ? "rank" : "ranks")
                       .arg(spec.layout.data)
                       .arg(spec.layout.context)
                       .arg(spec.layout.tensor)
                       .arg(spec.layout.pipeline)
                       .arg(trained, experts + shard));
    console::print(console::table(rows));
    for (const std::string& assumption : estimate.assumptions)
        console::print("  " + QString::fromStdString(assumption));
}

Diagnostics allRemarks(const RunSpec& spec, const PlannedRun& planned)
{
    Diagnostics remarks = remarksOn(spec);
    std::ranges::move(precisionRemarks(spec, planned.hosts), std::back_inserter(remarks));
    return remarks;
}

/// `testRows`: of the data set that is evaluated.
QJsonObject evaluationJson(const RunSpec& spec, std::uint64_t testRows)
{
    const EvaluationSchedule schedule = evaluationSchedule(spec, testRows);
    return {{"every_steps", static_cast<qint64>(schedule.isOn() ? schedule.everySteps : 0)},
            {"batches", static_cast<qint64>(schedule.batches)},
            {"rows", static_cast<qint64>(schedule.rows)},
            {"evaluations", static_cast<qint64>(schedule.evaluations())},
            {"share_of_time", schedule.costShare()}};
}

QJsonObject planJson(const RunSpec& spec, const SequenceShape& shape, const PlannedRun& planned,
                     const std::vector<ExplainedProblem>& problems,
                     const std::optional<WeightComparison>& weights, std::optional<std::uint64_t> testRows)
{
    QJsonObject json{{"parameters", static_cast<qint64>(parameterCount(spec.model))},
                     {"trainable_parameters", static_cast<qint64>(trainedParameterCount(spec.model))},
                     {"active_parameters", static_cast<qint64>(activeParameterCount(spec.model))},
                     {"world_size", spec.layout.worldSize()},
                     {"sequences", toJson(shape)},
                     {"memory_per_rank", toJson(planned.memory.bytes)},
                     {"total_per_rank", static_cast<qint64>(planned.memory.total())},
                     {"resident_per_rank", toJson(planned.memory.resident)},
                     {"state_traffic", stateTrafficJson(spec, shape)},
                     {"hosts", toJson(planned.hosts)},
                     {"fits", planned.fits()},
                     {"problems", toJson(problems)},
                     {"remarks", toJson(allRemarks(spec, planned))}};
    if (planned.hasTime())
        json["time"] = toJson(**planned.time);
    if (weights)
        json["init"] = toJson(*weights);
    if (testRows)
        json["evaluation"] = evaluationJson(spec, *testRows);
    return json;
}

/// Of a plan without a shortage.
QString fitText(const std::vector<HostMemory>& hosts)
{
    QStringList unknown;
    for (const HostMemory& host : hosts) {
        if (!host.perRank)
            unknown << QString::fromStdString(host.host);
    }
    if (unknown.isEmpty())
        return "It fits.";
    const QString others = unknown.size() > 1 ? QString(" and %1 more").arg(unknown.size() - 1) : QString();
    return QString("Cannot tell whether it fits %1%2: name the hardware with --hardware or in "
                   "cluster.nodes[].hardware.")
        .arg(unknown.front(), others);
}

/// Says also why the length is not the data set's.
QString sequencesText(const RunSpec& spec, const PlanOptions& options, const SequenceShape& shape,
                      const Result<DataSetManifest>& data)
{
    const QString text = shapeText(spec.model, shape);
    if (data.ok() || options.shape.length)
        return text;
    const QString path = QString::fromStdString(spec.dataset.text());
    return text +
           (path.isEmpty()
                ? QString(", the model's maximum: no data set is named")
                : QString(", the model's maximum: %1 is not a data set that can be read here").arg(path));
}

/// The plan of a phase; a run without phases is one.
struct PhasePlan {
    RunSpec spec;
    SequenceShape shape;
    QString sequences; ///< as sequencesText()
    PlannedRun planned;
    std::vector<ExplainedProblem> problems; ///< of memory
    bool isFirst = true;                    ///< of the run: it begins with the weights of section init
    std::optional<WeightComparison> weights{};
    std::optional<std::uint64_t> testRows{}; ///< as testRowsOf()
    std::vector<PlannedReading> reading{};   ///< of a mix
};

void print(const PhasePlan& plan)
{
    printTable(plan.spec, plan.planned.memory, plan.planned.hosts);
    console::print("  " + plan.sequences);
    if (const QString traffic = stateTrafficText(plan.spec, plan.shape); !traffic.isEmpty())
        console::print("  " + traffic);
    if (plan.spec.batch.ramp.isOn())
        console::print("  " + rampText(plan.spec));
    const QString evaluated = QString::fromStdString(plan.spec.evaluation.dataset);
    if (plan.testRows)
        console::print("  " + evaluationSummary(plan.spec, plan.testRows));
    else if (plan.spec.evaluation.isOn() && !evaluated.isEmpty())
        console::print(
            QString("  Evaluates on %1, which is not a data set that can be read here.").arg(evaluated));
    if (!plan.reading.empty())
        console::print(console::table(readingRows(plan.reading)));
    const auto rows = plan.isFirst ? weightRows(plan.spec.init, plan.weights) : QList<QStringList>();
    if (!rows.isEmpty())
        console::print(console::table(rows));
    if (plan.problems.empty())
        console::print(fitText(plan.planned.hosts));
    if (plan.planned.hasTime())
        console::print(console::table(rowsOf(**plan.planned.time)));
}

QJsonObject toJson(const PhasePlan& plan)
{
    QJsonObject json =
        planJson(plan.spec, plan.shape, plan.planned, plan.problems, plan.weights, plan.testRows);
    if (plan.spec.batch.ramp.isOn())
        json["batches"] = rampJson(plan.spec);
    if (!plan.reading.empty())
        json["data_sets"] = toJson(plan.reading);
    return json;
}

/// The phase whose ranks need most memory at their peak.
std::size_t mostMemory(const std::vector<PhasePlan>& phases)
{
    const auto most = std::ranges::max_element(
        phases, {}, [](const PhasePlan& phase) { return phase.planned.memory.total(); });
    return static_cast<std::size_t>(most - phases.begin());
}

/// Of all phases; nullopt where one has no time.
std::optional<TrainingEffort> effortOf(const std::vector<PhasePlan>& phases)
{
    std::vector<TrainingEffort> efforts;
    for (const PhasePlan& phase : phases) {
        if (!phase.planned.hasTime())
            return std::nullopt;
        efforts.push_back((*phase.planned.time)->training);
    }
    return effortTogether(efforts);
}

QJsonObject effortJson(const TrainingEffort& effort, const PlannedTime& time)
{
    QJsonObject json{{"training_days", effort.days}};
    if (effort.cost > 0) {
        json["training_cost"] = effort.cost;
        json["currency"] = QString::fromStdString(time.node.price.currency);
        json["price_date"] = QString::fromStdString(time.node.price.date);
    }
    addHardware(json, time.node);
    return json;
}

/// The keys of a plan, of the phase that needs most memory, with the time of all phases; then every phase.
QJsonObject phasesJson(const RunSpec& run, const std::vector<PhasePlan>& phases)
{
    const std::size_t most = mostMemory(phases);
    QJsonObject json = toJson(phases[most]);
    QJsonArray problems;
    QJsonArray list;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const int phase = static_cast<int>(i);
        QJsonObject entry = toJson(phases[i]);
        for (const auto& problem : entry["problems"].toArray())
            problems << problem;
        entry["name"] = QString::fromStdString(phaseName(run, phase));
        entry["first_step"] = static_cast<qint64>(stepsBefore(run, phase) + 1);
        entry["steps"] = phases[i].spec.launch.steps;
        list << entry;
    }
    json["most_memory_in"] = QString::fromStdString(phaseName(run, static_cast<int>(most)));
    json["fits"] = std::ranges::all_of(phases, [](const PhasePlan& phase) { return phase.planned.fits(); });
    json["problems"] = problems;
    json["remarks"] = toJson(remarksOn(run));
    json.remove("sequences");
    json.remove("evaluation");
    json.remove("time");
    if (const auto effort = effortOf(phases))
        json["time"] = effortJson(*effort, **phases.front().planned.time);
    if (phases.front().weights)
        json["init"] = toJson(*phases.front().weights);
    json["phases"] = list;
    return json;
}

QStringList rowOf(const QString& name, std::int64_t steps, Bytes memory,
                  const std::optional<TrainingEffort>& effort, const QString& currency)
{
    QStringList row{name, console::number(static_cast<double>(steps)), textOf(memory)};
    if (effort) {
        row << console::number(effort->days);
        row << (effort->cost > 0 ? console::number(effort->cost) + ' ' + currency : QString("unknown"));
    }
    return row;
}

void printPhases(const RunSpec& run, const std::vector<PhasePlan>& phases)
{
    const std::optional<TrainingEffort> effort = effortOf(phases);
    const QString currency =
        effort ? QString::fromStdString((*phases.front().planned.time)->node.price.currency) : QString();
    QList<QStringList> rows{{"phase", "steps", "memory per rank"}};
    if (effort)
        rows.front() << "days"
                     << "cost";
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const QString name = QString::fromStdString(phaseName(run, static_cast<int>(i)));
        console::print(QString("%1 (%2 of %3)").arg(name).arg(i + 1).arg(phases.size()));
        print(phases[i]);
        const auto own = effort ? std::optional((*phases[i].planned.time)->training) : std::nullopt;
        rows << rowOf(name, phases[i].spec.launch.steps, phases[i].planned.memory.total(), own, currency);
    }
    rows << rowOf("all", stepsOfPhases(run), phases[mostMemory(phases)].planned.memory.total(), effort,
                  currency);
    console::print(console::table(rows));
}

/// Where this computer can read the weights that the run is to begin with. With a status other than 0 they do
/// not fit, and that has been printed.
struct WeightsHere {
    std::optional<WeightComparison> comparison;
    int status = 0;
};

WeightsHere weightsHere(const RunSpec& spec, const PlanOptions& options)
{
    auto compared = compareWeightsHere(spec);
    if (!compared.ok()) {
        const Error& error = compared.error();
        return {{},
                failForProblems(options.spec, Diagnostics{{"", error.message, error.hint, error.kind}},
                                options.json)};
    }
    if (*compared && !(*compared)->problems.empty())
        return {{}, failForProblems(options.spec, (*compared)->problems, options.json)};
    return {std::move(*compared), 0};
}

/// On nodes that are all such ones; as the specification has it where none is named.
RunSpec onHardware(RunSpec spec, const std::string& hardware)
{
    for (NodeSpec& node : spec.cluster.nodes)
        node.hardware = hardware.empty() ? node.hardware : hardware;
    return spec;
}

/// The specification keeps its own names of hardware: --hardware may be a file.
PlanFacts factsOf(const PlanOptions& options, const PlanInputs& inputs,
                  const std::optional<DataSetShape>& rows, const std::optional<DataSetShape>& evaluatedRows)
{
    PlanFacts facts = planFacts(inputs, rows);
    facts.evaluatedRows = evaluatedRows;
    facts.hosts = [hosts = facts.hosts, hardware = options.hardware](const RunSpec& spec) {
        return hosts(onHardware(spec, hardware));
    };
    return facts;
}

/// That of evaluation.dataset; nullopt without one, and where it cannot be read here.
std::optional<DataSetShape> evaluatedRowsOf(const RunSpec& spec)
{
    if (!spec.evaluation.isOn() || spec.evaluation.dataset.empty())
        return std::nullopt;
    const auto evaluated = readDataSetManifest(QString::fromStdString(spec.evaluation.dataset));
    return evaluated.ok() ? std::optional(evaluated->shape()) : std::nullopt;
}

/// Of the data set that is evaluated; nullopt where it cannot be read here.
std::optional<std::uint64_t> testRowsOf(const RunSpec& spec, const std::optional<DataSetShape>& rows,
                                        const std::optional<DataSetShape>& evaluatedRows)
{
    const std::optional<DataSetShape>& evaluated = spec.evaluation.dataset.empty() ? rows : evaluatedRows;
    return evaluated ? evaluated->testRows : std::nullopt;
}

/// The data sets of a phase that can be read from here.
struct DataHere {
    Result<DataSetManifest> first; ///< in what a model sees the others agree with it
    std::vector<DataSetShape> shapes{};
    std::optional<DataSetShape> rows{}; ///< of all of them together

    explicit DataHere(const DatasetSpec& dataset) : first(DataSetManifest())
    {
        const auto all = readDataSetManifests(dataset);
        if (!all.ok()) {
            first = all.error();
            return;
        }
        first = all->front();
        shapes = shapesOf(*all);
        rows = mixedShape(dataset, shapes);
    }
};

std::vector<PlannedReading> readingOf(const RunSpec& spec, const SequenceShape& shape, const DataHere& data)
{
    if (!spec.dataset.isMix())
        return {};
    std::vector<std::uint64_t> rows;
    for (const DataSetShape& set : data.shapes)
        rows.push_back(set.trainingRows);
    return plannedReading(spec, shape.length, rows);
}

/// A plan, or the status of a specification that cannot be planned, all of whose problems have been printed.
struct PhaseOutcome {
    PhasePlan plan;
    int status = 0;
};

Result<PhaseOutcome> planPhase(const RunSpec& run, int phase, const PlanOptions& options)
{
    const RunSpec spec = specOfPhase(run, phase);
    const DataHere data(spec.dataset);
    const PlanInputs inputs{shapeFor(spec.model, options.shape, data.first), readHardwareInput, memoryHere};
    if (const Diagnostics wrong = shapeProblems(spec.model, options.shape, inputs.shape); !wrong.empty())
        return PhaseOutcome{{}, failForProblems(options.spec, inPhase(run, phase, wrong), options.json)};
    const auto evaluatedRows = evaluatedRowsOf(spec);
    if (spec.dataset.isMix() && data.rows && validate(spec).empty()) {
        if (const Diagnostics wrong = mixProblems(spec, data.shapes); !wrong.empty())
            return PhaseOutcome{{}, failForProblems(options.spec, inPhase(run, phase, wrong), options.json)};
    }
    auto problems =
        explainPlan(completedFor(SpecUse::Plan, spec), factsOf(options, inputs, data.rows, evaluatedRows));
    const bool cannotRun = !problems.empty() && problems.front().problem.path != kMemoryPath;
    for (ExplainedProblem& explained : problems)
        explained = inPhase(run, phase, std::move(explained));
    if (cannotRun)
        return PhaseOutcome{{}, failForProblems(options.spec, problems, options.json)};
    WeightsHere weights;
    if (phase == 0)
        weights = weightsHere(spec, options);
    if (weights.status != 0)
        return PhaseOutcome{{}, weights.status};
    if (data.rows)
        warn(options.spec, inPhase(run, phase, mixRemarks(spec, data.shapes)));
    PlannedRun planned = planRun(onHardware(spec, options.hardware), inputs);
    if (!planned.time.ok())
        return inPhase(run, phase, planned.time.error());
    warn(options.spec, inPhase(run, phase, precisionRemarks(spec, planned.hosts)));
    return PhaseOutcome{{spec, inputs.shape, sequencesText(spec, options, inputs.shape, data.first),
                         std::move(planned), std::move(problems), phase == 0, std::move(weights.comparison),
                         testRowsOf(spec, data.rows, evaluatedRows), readingOf(spec, inputs.shape, data)}};
}

Result<int> plan(const PlanOptions& options)
{
    const auto [run, status] = readSpecInput(options.spec, options.json, SpecUse::Plan, options.shape.phase);
    if (status != 0)
        return status;
    std::vector<PhasePlan> phases;
    std::vector<ExplainedProblem> problems;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        TRAINYARD_TRY(PhaseOutcome outcome, planPhase(run, phase, options));
        if (outcome.status != 0)
            return outcome.status;
        std::ranges::copy(outcome.plan.problems, std::back_inserter(problems));
        phases.push_back(std::move(outcome.plan));
    }
    if (run.phases.empty() && options.json)
        console::print(QJsonDocument(toJson(phases.front())));
    else if (run.phases.empty())
        print(phases.front());
    else if (options.json)
        console::print(QJsonDocument(phasesJson(run, phases)));
    else
        printPhases(run, phases);
    return problems.empty() ? 0 : failForProblems(options.spec, problems, false);
}

} // namespace

void addPlanCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<PlanOptions>();
    auto validation = std::make_shared<ValidationInput>();
    CLI::App* command = app.add_subcommand(
        "plan", "Predict memory per device by category and time per step by cause, without launching");
    CLI::Option* spec = command->add_option("SPEC", options->spec, "Run specification (JSON)");
    addShapeOptions(*command, options->shape);
    CLI::Option* rows = command->add_option(
        "--validate", validation->rows,
        "Instead of planning: compare predicted step times with the measured ones in this file (CSV)");
    rows->excludes(spec);
    command->add_option(
        "--hardware", options->hardware,
        "Hardware of every node: preset (resources/presets/hardware), calibrated name or JSON file (default: "
        "cluster.nodes[].hardware of SPEC). Also predicts the step time (--validate: default hgx-a100)");
    command
        ->add_option(
            "--calibrate", validation->calibrate,
            "Number of rows used for calibration and excluded from the score (default: 0, no calibration)")
        ->check(CLI::Range(std::size_t{0}, kMaxRows))
        ->needs(rows);
    command->add_option("--seed", validation->seed, "Seed that selects the calibration rows (default: 1)")
        ->check(CLI::Range(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()))
        ->needs(rows);
    addJsonFlag(*command, options->json);
    command->callback([&outcome, options, validation, spec, rows] {
        if (spec->empty() && rows->empty())
            throw CLI::RequiredError("SPEC");
        validation->json = options->json;
        if (!options->hardware.empty())
            validation->hardware = options->hardware;
        outcome.status =
            rows->empty() ? console::exitWith(plan(*options)) : console::exitWith(validatePlan(*validation));
    });
}

} // namespace trainyard
