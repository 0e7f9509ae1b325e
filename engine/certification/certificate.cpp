#include "engine/certification/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/Parallel.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/base/standard_streams.h"
#include "engine/certification/proxy_run.h"
#include "engine/certification/recorded_run.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/names.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

namespace {

/// Differences are compared with a tensor's own norm, but at least with this share of that of a usual tensor
/// of its size. In float64 the share covers what is zero by nature (a shift of all keys changes no attention)
/// and is rounding in both runs. In other precisions a bias's gradient, a sum over all tokens, may cancel to
/// little while the rounding of its summands stays.
double floorOf(ComputeType precision)
{
    return precision == ComputeType::Float64 ? 1e-3 : 1;
}

/// A gradient of this share of a usual one is rounding.
constexpr double kVanishing = 1e-9;

double normOf(const at::Tensor& values)
{
    return at::linalg_vector_norm(values).item<double>();
}

double rootMeanSquare(const WholeTensors& tensors)
{
    double norm = 0;
    std::int64_t count = 0;
    for (const auto& [name, values] : tensors) {
        norm = std::hypot(norm, normOf(values));
        count += values.numel();
    }
    return norm / std::sqrt(double(std::max<std::int64_t>(count, 1)));
}

/// The weights without those whose gradient is zero by nature: an optimizer that divides gradients by their
/// own norm moves them by what rounding left.
WholeTensors movedByGradients(const RecordedStep& step)
{
    const double usual = rootMeanSquare(step.gradients);
    WholeTensors moved;
    for (const auto& [name, values] : step.weights) {
        const auto gradient = step.gradients.find(name);
        const bool isFrozen = gradient == step.gradients.end(); // no layout may move it
        if (isFrozen || normOf(gradient->second) > kVanishing * usual * std::sqrt(double(values.numel())))
            moved.emplace(name, values);
    }
    return moved;
}

/// Infinite where it is not a number.
double relative(double difference, double norm)
{
    const double ratio = difference / std::max(norm, 1e-300);
    return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

double relativeDifference(const at::Tensor& values, const at::Tensor& reference, double floor)
{
    if (values.sizes() != reference.sizes())
        return std::numeric_limits<double>::infinity();
    const double least = floor * std::sqrt(double(reference.numel()));
    return relative(normOf(values - reference), std::max(normOf(reference), least));
}

/// Collects differences in the order of the steps.
class Comparison {
public:
    explicit Comparison(LayoutCheck& check) : m_check(check) {}

    void compare(int step, const RecordedStep& layout, const RecordedStep& single)
    {
        number(step, "loss", layout.loss, single.loss);
        number(step, "gradient norm", layout.gradientNorm, single.gradientNorm);
        tensors(step, "gradient of ", layout.gradients, single.gradients);
        if (m_check.precision == ComputeType::Float64)
            tensors(step, "", layout.weights, movedByGradients(single));
    }

private:
    void number(int step, const char* name, double value, double reference)
    {
        note(step, name, relative(std::abs(value - reference), std::abs(reference)));
    }
    void tensors(int step, const char* prefix, const WholeTensors& layout, const WholeTensors& single)
    {
        const double floor = floorOf(m_check.precision) * rootMeanSquare(single);
        for (const auto& [name, values] : single) {
            const auto found = layout.find(name);
            note(step, prefix + name,
                 found == layout.end() ? std::numeric_limits<double>::infinity()
                                       : relativeDifference(found->second, values, floor));
        }
    }
    void note(int step, std::string where, double difference)
    {
        if (!m_check.where.empty() && difference <= m_check.worst)
            return;
        m_check.worst = difference;
        m_check.where = std::move(where);
        m_check.step = step;
    }

    LayoutCheck& m_check;
};

double boundOf(ComputeType type, int layers)
{
    const double growth = std::pow(1.03, layers + 1);
    switch (type) {
    case ComputeType::Float64:
        return 1e-9;
    case ComputeType::Float32:
        return 1e-5 * growth;
    default:
        return 2 * 4 * growth * std::ldexp(1.0, -8);
    }
}

Result<LayoutCheck> check(ProxyRun proxy, ComputeType precision)
{
    proxy.spec.precision.compute = precision;
    TRAINYARD_TRY(const auto single, recordRun(onOneRank(proxy.spec), proxy.shape));
    TRAINYARD_TRY(const auto layout, recordRun(proxy.spec, proxy.shape));
    return compareRuns({.precision = precision, .bound = boundOf(precision, proxy.spec.model.layers)}, layout,
                       single);
}

/// Exactly, and the first step in the precision of the specification.
Result<std::vector<LayoutCheck>> checksOf(ProxyRun proxy)
{
    const ComputeType precision = proxy.spec.precision.compute;
    std::vector<LayoutCheck> checks;
    TRAINYARD_TRY(LayoutCheck exact, check(proxy, ComputeType::Float64));
    checks.push_back(std::move(exact));
    if (precision == ComputeType::Float64)
        return checks;
    proxy.spec.launch.steps = 1;
    TRAINYARD_TRY(LayoutCheck own, check(proxy, precision));
    checks.push_back(std::move(own));
    return checks;
}

/// Ranks share the work of both in the same way.
bool computeAlike(const RunSpec& a, const RunSpec& b)
{
    return a.batch == b.batch && a.memory == b.memory && a.optimizer.kind == b.optimizer.kind;
}

/// A phase that computes as an earlier one is certified with it.
std::vector<int> phasesToCertify(const RunSpec& run)
{
    std::vector<int> phases;
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        const RunSpec spec = specOfPhase(run, phase);
        const bool isKnown = std::ranges::any_of(
            phases, [&](int earlier) { return computeAlike(specOfPhase(run, earlier), spec); });
        if (!isKnown)
            phases.push_back(phase);
    }
    return phases;
}

std::string describe(const ParallelLayout& layout)
{
    const auto shared = [](const char* what, bool applies, int ranks) {
        return applies ? fmt::format(", {} shared by {}", what, ranks) : std::string();
    };
    return fmt::format("data {} x context {} x tensor {} x pipeline {}{}{}", layout.data, layout.context,
                       layout.tensor, layout.pipeline, shared("experts", layout.expert > 1, layout.expert),
                       shared("states", layout.shard > 0, layout.shard));
}

std::string describe(const LayoutCheck& check)
{
    return fmt::format("{}{}, {}: {} by {:.2e} at most ({}, step {}); rounding explains {:.1e}",
                       check.phase.empty() ? std::string() : check.phase + ": ", nameOf(check.precision),
                       check.steps == 1 ? "first step" : fmt::format("{} steps", check.steps),
                       check.holds() ? "differs" : "DIFFERS", check.worst, check.where, check.step,
                       check.bound);
}

} // namespace

bool Certificate::holds() const
{
    return std::all_of(checks.begin(), checks.end(), [](const LayoutCheck& check) { return check.holds(); });
}

std::string Certificate::toText() const
{
    std::string text =
        fmt::format("{}, {} ranks as threads against one rank\n", describe(layout), layout.worldSize());
    if (!changes.empty())
        text += fmt::format("  reduced: {}\n", fmt::join(changes, ", "));
    for (const LayoutCheck& check : checks)
        text += fmt::format("  {}\n", describe(check));
    text += holds() ? "The layout matches a single rank.\n" : "The layout does NOT match a single rank.\n";
    return text;
}

std::string Certificate::toJson() const
{
    nlohmann::ordered_json json{{"holds", holds()},
                                {"layout",
                                 {{"data", layout.data},
                                  {"expert", layout.expert},
                                  {"shard", layout.shard},
                                  {"context", layout.context},
                                  {"tensor", layout.tensor},
                                  {"pipeline", layout.pipeline}}},
                                {"made_smaller", changes},
                                {"checks", nlohmann::ordered_json::array()}};
    for (const LayoutCheck& check : checks) {
        json["checks"].push_back({{"precision", nameOf(check.precision)},
                                  {"steps", check.steps},
                                  {"holds", check.holds()},
                                  {"largest_difference", check.worst},
                                  {"where", check.where},
                                  {"step", check.step},
                                  {"bound", check.bound}});
        if (!check.phase.empty())
            json["checks"].back()["phase"] = check.phase;
    }
    return json.dump(2) + "\n";
}

LayoutCheck compareRuns(LayoutCheck check, const std::vector<RecordedStep>& layout,
                        const std::vector<RecordedStep>& single)
{
    TRAINYARD_CHECK(layout.size() == single.size());
    check.steps = int(single.size());
    Comparison comparison(check);
    for (std::size_t i = 0; i < single.size() && check.holds(); ++i)
        comparison.compare(int(i) + 1, layout[i], single[i]);
    return check;
}

Result<Certificate> certify(const RunSpec& spec, int steps)
{
    RunSpec checked = spec;
    checked.dataset = {.path = "/unused"};
    if (const Diagnostics diagnostics = validate(checked); !diagnostics.empty())
        return toError(diagnostics);
    Certificate certificate;
    for (const int phase : phasesToCertify(spec)) {
        const ProxyRun proxy = proxyOf(specOfPhase(spec, phase), steps);
        certificate.layout = proxy.spec.layout;
        for (const std::string& change : proxy.changes) {
            if (std::ranges::find(certificate.changes, change) == certificate.changes.end())
                certificate.changes.push_back(change);
        }
        TRAINYARD_TRY(std::vector<LayoutCheck> checks, checksOf(proxy));
        for (LayoutCheck& each : checks) {
            each.phase = spec.phases.empty() ? std::string() : phaseName(spec, phase);
            certificate.checks.push_back(std::move(each));
        }
    }
    return certificate;
}

Status runCertify(const CertifyOptions& options)
{
    at::set_num_threads(1); // each rank is a thread
    TRAINYARD_TRY(const RunSpec spec, readSpec(options.spec));
    TRAINYARD_TRY(const Certificate certificate, certify(spec, options.steps));
    printOutput(options.json ? certificate.toJson() : certificate.toText());
    if (certificate.holds())
        return {};
    const auto broken = std::find_if(certificate.checks.begin(), certificate.checks.end(),
                                     [](const LayoutCheck& check) { return !check.holds(); });
    return failed(fmt::format("the layout first differs from a single rank at step {}: {}", broken->step,
                              broken->where),
                  "do not train in this layout; report this with the specification");
}

} // namespace trainyard
