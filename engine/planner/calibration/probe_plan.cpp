#include "engine/planner/calibration/probe_plan.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

/// How much a device gets to do at a time.
struct Portion {
    double operations;  ///< of a product
    double square;      ///< rows, columns and depth of the product that reaches the most
    double narrowest;   ///< side of a matrix of weights
    double widest;      ///< the same
    double elements;    ///< of the largest matrix
    double vectorBytes; ///< of each vector of a traffic probe, beyond any cache
    double activations; ///< bytes that elementwise work reads and writes
};
constexpr Portion kOfProcessor{5e9, 1024, 256, 4096, 1 << 26, 64.0 * kMiB, 18.0 * kMiB};
constexpr Portion kOfAccelerator{2e13, 8192, 1024, 16384, 1 << 28, 256.0 * kMiB, 576.0 * kMiB};

constexpr double kRowMultiple = 16;
constexpr double kMinRows = 512;
constexpr double kVectorsOfSum = 3; ///< two are read, one is written
constexpr double kCopied = 64.0 * kMiB;
constexpr double kMessage = 8.0 * kMiB; ///< near what a bucket of gradients, or an activation, has
/// The first one is so small that it tells the latency.
constexpr double kReductions[]{8, 64.0 * kKiB, 1.0 * kMiB, 8.0 * kMiB, 64.0 * kMiB};

Probe productProbe(ComputeType type, const MatrixProduct& product)
{
    Probe probe;
    probe.type = type;
    probe.product = product;
    return probe;
}

Probe moved(ProbeKind kind, double bytes, ProbeReach reach = ProbeReach::Device)
{
    Probe probe;
    probe.kind = kind;
    probe.reach = reach;
    probe.bytes = bytes;
    return probe;
}

MatrixProduct square(double side)
{
    return {side, side, side};
}

/// As many rows of `wanted` as the portion allows.
MatrixProduct boundedRows(MatrixProduct product, double wanted, const Portion& portion)
{
    const double most = std::min(portion.operations / (2 * product.columns * product.depth),
                                 portion.elements / std::max(product.columns, product.depth));
    const double rows = std::min(wanted, std::floor(most / kRowMultiple) * kRowMultiple);
    product.rows = std::max(kRowMultiple, rows);
    return product;
}

/// Of a sequence as many positions as leave one head's scores in the portion.
double attended(double length, double headWidth, const Portion& portion)
{
    const double scores = std::min(portion.elements, portion.operations / (2 * headWidth));
    return std::min(length, std::floor(std::sqrt(scores)));
}

/// Of scores and of what they weigh: one for each head of a micro-batch, as many as the portion allows.
MatrixProduct attention(MatrixProduct product, double heads, const Portion& portion)
{
    const double scores = product.rows * std::max(product.columns, product.depth);
    const double most = std::min(portion.operations / product.operations(), portion.elements / scores);
    product.copies = std::clamp(std::floor(most), 1.0, heads);
    return product;
}

/// The products of one layer (layer_work.h) and of the head; the widest one at a quarter of the tokens as
/// well, because rates fall with size.
std::vector<MatrixProduct> modelProducts(const RunSpec& spec, const Portion& portion)
{
    const ModelSpec& model = spec.model;
    const int tensor = spec.layout.tensor;
    const double tokens = std::max(kMinRows, 1.0 * spec.batch.micro * model.maxPositions);
    const double heads = std::max(1.0, std::floor(1.0 * spec.batch.micro * model.heads / tensor));
    const double headWidth = model.headSize();
    const double length = attended(model.maxPositions, headWidth, portion);
    const auto side = [&](int width) { return std::clamp<double>(width, portion.narrowest, portion.widest); };
    const auto rows = [&](double wanted, double columns, double depth) {
        return boundedRows({0, columns, depth}, wanted, portion);
    };
    const double hidden = side(model.hidden);
    const double wide = side(model.intermediate / tensor);
    return {rows(tokens, side(model.attentionWidth() / tensor), hidden),
            rows(tokens, hidden, side(model.queryWidth() / tensor)),
            rows(tokens, wide, hidden),
            rows(tokens / 4, wide, hidden),
            rows(tokens, hidden, wide),
            rows(tokens, side(model.vocabulary / tensor), hidden),
            attention({length, length, headWidth}, heads, portion),
            attention({length, headWidth, length}, heads, portion)};
}

void addProducts(std::vector<Probe>& probes, const RunSpec& spec, const Portion& portion)
{
    probes.push_back(productProbe(spec.precision.compute, square(portion.square)));
    for (const MatrixProduct& product : modelProducts(spec, portion))
        probes.push_back(productProbe(spec.precision.compute, product));
    for (const ComputeType type :
         {ComputeType::Float64, ComputeType::Float32, ComputeType::BFloat16, ComputeType::Float16}) {
        if (type != spec.precision.compute)
            probes.push_back(productProbe(type, square(portion.square / 2)));
    }
}

void addCollectives(std::vector<Probe>& probes, ProbeReach reach)
{
    for (const double bytes : kReductions)
        probes.push_back(moved(ProbeKind::AllReduce, bytes, reach));
    probes.push_back(moved(ProbeKind::AllGather, kMessage, reach));
    probes.push_back(moved(ProbeKind::Send, kMessage, reach));
}

} // namespace

std::vector<Probe> plannedProbes(const RunSpec& spec, const ProbedHardware& hardware)
{
    const Portion& portion = hardware.isProcessor() ? kOfProcessor : kOfAccelerator;
    std::vector<Probe> probes;
    addProducts(probes, spec, portion);
    probes.push_back(moved(ProbeKind::Traffic, kVectorsOfSum * portion.vectorBytes));
    probes.push_back(moved(ProbeKind::Elementwise, portion.activations));
    probes.push_back(moved(ProbeKind::HostTraffic, kVectorsOfSum * kOfProcessor.vectorBytes));
    probes.push_back(moved(ProbeKind::HostCopy, kCopied));
    probes.push_back(moved(ProbeKind::Launch, 0));
    if (hardware.ranksPerHost > 1)
        addCollectives(probes, ProbeReach::Node);
    if (hardware.hosts.size() > 1)
        addCollectives(probes, ProbeReach::Network);
    return probes;
}

} // namespace trainyard
