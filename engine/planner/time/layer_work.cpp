#include "engine/planner/time/layer_work.h"

#include <cmath>

#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/lora_targets.h"

namespace trainyard {

namespace {

constexpr double kAttentionKernels = 0.25; ///< share of a layer's
constexpr double kAlignedRows = 8;

/// The sizes that everything here is made of.
struct Sizes {
    double batch;    ///< sequences of a micro-batch
    double here;     ///< tokens of a sequence on this rank
    double sequence; ///< tokens of a sequence
    double hidden;
    double inner; ///< width of the feed-forward layer; of experts those of a token together
    double heads; ///< on this rank, at least 1
    double headDim;
    double queries; ///< numbers of a token's queries, and of its keys
    double keys;
    double tensor;  ///< degree
    double element; ///< bytes, as sent
    double traffic; ///< bytes, as elementwise operations count it

    double tokens() const { return batch * here; }
};

/// Share of the layers that have experts.
double expertShare(const ModelSpec& m)
{
    return m.experts.isOn() ? 1.0 / m.experts.every : 0;
}

/// Of the mean layer.
double innerWidth(const ModelSpec& m)
{
    const double share = expertShare(m);
    return share * m.experts.perToken * m.expertWidth() + (1 - share) * m.intermediate;
}

Sizes sizesOf(const RunSpec& spec, const SequenceShape& shape, double leastElement = 0)
{
    const ModelSpec& m = spec.model;
    const double tensor = spec.layout.tensor;
    const double element = static_cast<double>(elementSize(spec.precision.compute));
    return {static_cast<double>(spec.batch.micro),
            std::ceil(static_cast<double>(shape.length) / spec.layout.context),
            static_cast<double>(shape.length),
            static_cast<double>(m.hidden),
            innerWidth(m),
            std::max(1.0, std::floor(m.heads / tensor)),
            static_cast<double>(m.headSize()),
            static_cast<double>(m.queryWidth()),
            static_cast<double>(m.keyWidth()),
            tensor,
            element,
            std::max(element, leastElement)};
}

/// Matrices that the feed-forward layer multiplies its input with.
double innerMatrices(const ModelSpec& model)
{
    return model.isGated() ? 2 : 1;
}

/// Of all pairs of a query and a key those that a rank of a ring looks at: a decoder skips runs of keys that
/// lie behind all queries of a run (engine/parallel/context/attention_tiles.h). Each rank has an early and a
/// late part of every sequence, so that all see equally much.
double seenShare(const RunSpec& spec, const Sizes& z)
{
    constexpr double kMaxRunLength = 512; // tokens
    if (spec.layout.context == 1 || !spec.model.isDecoder())
        return 1;
    const double parts = 2.0 * spec.layout.context;
    const double runs = parts * std::ceil(z.sequence / parts / kMaxRunLength);
    return (runs + 1) / (2 * runs);
}

void append(std::vector<MatrixProduct>& products, const std::vector<MatrixProduct>& more)
{
    products.insert(products.end(), more.begin(), more.end());
}

std::vector<MatrixProduct> attentionCore(const RunSpec& spec, const Sizes& z)
{
    const double copies = z.batch * z.heads;
    const double seen = z.sequence * seenShare(spec, z);
    return {{z.here, seen, z.headDim, copies}, {z.here, z.headDim, seen, copies}};
}

/// Of a token and one of its experts, for the experts here, on the busiest rank.
double pairsHere(const RunSpec& spec, const Sizes& z)
{
    return z.tokens() * spec.model.experts.perToken * expertImbalance(spec.layout);
}

/// Experts here that have any.
double busyExperts(const RunSpec& spec, const Sizes& z)
{
    return std::min(double(spec.model.experts.count) / spec.layout.expert, pairsHere(spec, z));
}

/// Of experts that get equally many tokens, and of the router.
std::vector<MatrixProduct> expertProducts(const RunSpec& spec, const Sizes& z)
{
    const ModelSpec& model = spec.model;
    const double pairs = pairsHere(spec, z);
    const double busy = busyExperts(spec, z);
    const double width = model.expertWidth() / z.tensor;
    const double share = expertShare(model);
    // How many rows there are aligns nothing: they are no leading dimension, as the mean is no whole number.
    const double rows = kAlignedRows * std::ceil(pairs / busy / kAlignedRows);
    return {{z.tokens(), double(model.experts.count), z.hidden, share},
            {rows, 2 * width, z.hidden, busy * share},
            {rows, z.hidden, width, busy * share}};
}

std::vector<MatrixProduct> linearProducts(const RunSpec& spec, const Sizes& z)
{
    const ModelSpec& model = spec.model;
    const double t = z.tokens();
    std::vector<MatrixProduct> products{{t, (z.queries + 2 * z.keys) / z.tensor, z.hidden},
                                        {t, z.hidden, z.queries / z.tensor}};
    const double dense = 1 - expertShare(model);
    if (dense > 0) {
        const double inner = model.intermediate / z.tensor;
        products.push_back({t, innerMatrices(model) * inner, z.hidden, dense});
        products.push_back({t, z.hidden, inner, dense});
    }
    if (model.experts.isOn())
        append(products, expertProducts(spec, z));
    return products;
}

/// Gradients of both factors of each product.
std::vector<MatrixProduct> gradientsOf(const std::vector<MatrixProduct>& products)
{
    std::vector<MatrixProduct> gradients;
    for (const MatrixProduct& p : products) {
        gradients.push_back({p.rows, p.depth, p.columns, p.copies});
        gradients.push_back({p.depth, p.columns, p.rows, p.copies});
    }
    return gradients;
}

/// Those of the inputs alone.
std::vector<MatrixProduct> inputGradientsOf(const std::vector<MatrixProduct>& products)
{
    std::vector<MatrixProduct> gradients;
    for (const MatrixProduct& p : products)
        gradients.push_back({p.rows, p.depth, p.columns, p.copies});
    return gradients;
}

/// Outputs and inputs of an adapted product on this rank.
struct AdaptedSize {
    double out;
    double in;
};

AdaptedSize adaptedSize(const AdaptableProduct& product, const Sizes& z)
{
    const auto out = static_cast<double>(product.out);
    const auto in = static_cast<double>(product.in);
    return product.cutsOutputs ? AdaptedSize{out / z.tensor, in} : AdaptedSize{out, in / z.tensor};
}

std::vector<MatrixProduct> adapterProducts(const ModelSpec& model, const Sizes& z)
{
    std::vector<MatrixProduct> products;
    for (const AdaptableProduct& product : adaptedProducts(model)) {
        const AdaptedSize size = adaptedSize(product, z);
        const double rank = model.lora.rank;
        products.push_back({z.tokens(), rank, size.in});
        products.push_back({z.tokens(), size.out, rank});
    }
    return products;
}

/// Bytes of `passes` reads or writes of all scores, and of the dropout mask.
double scoreTraffic(const RunSpec& spec, const Sizes& z, double passes)
{
    if (fusesAttention(spec))
        return 0;
    const double scores = z.batch * z.heads * z.here * z.sequence * seenShare(spec, z);
    const double mask = spec.model.attentionDropout > 0 ? 1 : 0;
    return scores * (passes * z.traffic + mask);
}

/// Of `whole` elements per token and hidden unit that every tensor-parallel rank reads or writes, unless they
/// share the tokens, and `cut` that they share.
double tokenTraffic(const RunSpec& spec, const Sizes& z, double whole, double cut)
{
    const double everywhere = spec.layout.sequence ? whole / z.tensor : whole;
    return z.tokens() * z.hidden * z.traffic * (everywhere + cut / z.tensor);
}

/// Elements per hidden unit that the activation reads and writes.
double innerTraffic(const ModelSpec& model, const Sizes& z)
{
    return (1 + innerMatrices(model)) * z.inner / z.hidden;
}

constexpr double kAdapterKernels = 4;
constexpr double kAdapterPasses = 3; ///< over the outputs: delta written and read, sum written over

/// What adapters make the forward pass do; a collective where inputs are cut.
void addAdapters(Work& work, const RunSpec& spec, const Sizes& z)
{
    append(work.products, adapterProducts(spec.model, z));
    for (const AdaptableProduct& product : adaptedProducts(spec.model)) {
        work.traffic += z.tokens() * adaptedSize(product, z).out * z.traffic * kAdapterPasses;
        work.kernels += kAdapterKernels;
        const bool exchanges = spec.layout.sequence || !product.cutsOutputs;
        work.adapterCollectives += spec.layout.tensor > 1 && exchanges ? 1 : 0;
    }
    work.adapterReduced = z.tokens() * spec.model.lora.rank * z.element;
}

/// The same of the backward pass; a collective where outputs are cut.
void addAdapterGradients(Work& work, const RunSpec& spec, const Sizes& z)
{
    append(work.products, gradientsOf(adapterProducts(spec.model, z)));
    for (const AdaptableProduct& product : adaptedProducts(spec.model)) {
        work.traffic += z.tokens() * adaptedSize(product, z).out * z.traffic;
        work.kernels += 2 * kAdapterKernels;
        const bool exchanges = spec.layout.sequence || product.cutsOutputs;
        work.adapterCollectives += spec.layout.tensor > 1 && exchanges ? 1 : 0;
    }
    work.adapterReduced = z.tokens() * spec.model.lora.rank * z.element;
}

void addCollectives(Work& work, const RunSpec& spec, const Sizes& z)
{
    work.collectives = spec.layout.tensor > 1 ? 2 : 0;
    work.reduced = z.tokens() * z.hidden * z.element;
}

/// Keys and values of every other rank.
void addRing(Work& work, const RunSpec& spec, const Sizes& z)
{
    const double rounds = spec.layout.context - 1;
    work.ringRounds += rounds;
    work.ringSent += rounds * 2 * z.tokens() * z.queries / z.tensor * z.element;
}

/// Their gradients in float32 at least, home in the end.
void addRingGradients(Work& work, const RunSpec& spec, const Sizes& z)
{
    constexpr double kWide = 4; // bytes
    const double rounds = spec.layout.context > 1 ? spec.layout.context : 0;
    work.ringRounds += rounds;
    work.ringSent += rounds * 2 * z.tokens() * z.queries / z.tensor * std::max(kWide, z.element);
}

/// Reads and writes of the scores.
struct ScorePasses {
    double forward;
    double backward;
};

ScorePasses scorePasses(const RunSpec& spec)
{
    return spec.layout.context > 1 ? ScorePasses{8, 11} : ScorePasses{4, 5};
}

/// Times that a layer attends: as often as there are sequences where they are packed, else once.
double attentions(const RunSpec& spec, const Sizes& z)
{
    return spec.batch.packing ? z.batch : 1;
}

/// Of the forward pass; about a quarter of a layer's are those of attention.
double kernelsOf(const RunSpec& spec, const Sizes& z, int kernels)
{
    return kernels * (1 + kAttentionKernels * (attentions(spec, z) - 1));
}

/// What experts make of a pass besides their products: each of a token's copies is read and written so many
/// times on its way to an expert and back, and each expert's products are kernels of their own.
void addExperts(Work& work, const RunSpec& spec, const Sizes& z, double passes)
{
    constexpr double kExpertKernels = 2;
    const double share = expertShare(spec.model);
    work.traffic += share * pairsHere(spec, z) * z.hidden * z.traffic * passes;
    work.kernels += share * kExpertKernels * busyExperts(spec, z);
    if (spec.layout.expert == 1)
        return;
    work.exchanges = 2 * share;
    work.exchanged = pairsHere(spec, z) * z.hidden * z.element;
}

constexpr double kExpertPasses = 6;         // spread, multiplied, brought back, weighted
constexpr double kExpertGradientPasses = 8; // the same of gradients, and those of the weights

Work forwardWork(const RunSpec& spec, const Sizes& z, int kernels)
{
    Work work;
    work.products = linearProducts(spec, z);
    append(work.products, attentionCore(spec, z));
    work.traffic = tokenTraffic(spec, z, 13, 6 + innerTraffic(spec.model, z)) +
                   scoreTraffic(spec, z, scorePasses(spec).forward);
    work.kernels = kernelsOf(spec, z, kernels);
    addExperts(work, spec, z, kExpertPasses);
    addCollectives(work, spec, z);
    addRing(work, spec, z);
    addAdapters(work, spec, z);
    return work;
}

Work backwardWork(const RunSpec& spec, const Sizes& z, int kernels)
{
    Work work;
    const std::vector<MatrixProduct> linear = linearProducts(spec, z);
    work.products = spec.model.lora.isOn() ? inputGradientsOf(linear) : gradientsOf(linear);
    const std::vector<MatrixProduct> core = attentionCore(spec, z);
    append(work.products, gradientsOf(core));
    if (fusesAttention(spec) || spec.layout.context > 1)
        work.products.push_back(core.front()); // the scores, which were not kept
    const ExpertSplit held =
        splitOf(static_cast<double>(trainedParts(spec.model).perLayer), spec, Counted::Trained);
    const double weights = held.total() / z.tensor * (z.element + 4);
    work.traffic = tokenTraffic(spec, z, 12, 8 + 1.5 * innerTraffic(spec.model, z)) +
                   scoreTraffic(spec, z, scorePasses(spec).backward) + weights;
    work.kernels = 2 * kernelsOf(spec, z, kernels);
    addExperts(work, spec, z, kExpertGradientPasses);
    addCollectives(work, spec, z);
    addRing(work, spec, z);
    addRingGradients(work, spec, z);
    addAdapterGradients(work, spec, z);
    return work;
}

/// What is repeated are products and softmax.
Work coreWork(const RunSpec& spec, const Sizes& z, int kernels)
{
    Work work;
    work.products = attentionCore(spec, z);
    work.traffic = scoreTraffic(spec, z, scorePasses(spec).forward);
    work.kernels = kAttentionKernels * kernels * attentions(spec, z);
    return work;
}

constexpr double kForwardLogitBytes = 10;
constexpr double kBackwardLogitBytes = 14;

} // namespace

LayerWork layerWork(const RunSpec& spec, const SequenceShape& shape, const WorkRules& rules)
{
    const Sizes z = sizesOf(spec, shape, rules.leastElement);
    return {forwardWork(spec, z, rules.kernels), backwardWork(spec, z, rules.kernels),
            coreWork(spec, z, rules.kernels)};
}

Work embeddingsWork(const RunSpec& spec, const SequenceShape& shape)
{
    const Sizes z = sizesOf(spec, shape);
    Work work;
    work.collectives = spec.layout.tensor > 1 ? 1 : 0;
    work.reduced = z.tokens() * z.hidden * z.element;
    return work;
}

namespace {

HeadWork taskWork(const TaskSpec& task, const Sizes& z)
{
    const double places = task.poolsFirstToken() ? z.batch : z.tokens();
    std::vector<MatrixProduct> products{{places, double(task.outputs()), z.hidden}};
    if (task.poolsFirstToken())
        products.push_back({places, z.hidden, z.hidden});
    HeadWork head;
    head.forward.products = products;
    head.backward.products = gradientsOf(products);
    return head;
}

} // namespace

HeadWork headWork(const RunSpec& spec, const SequenceShape& shape)
{
    if (spec.model.task.hasHead())
        return taskWork(spec.model.task, sizesOf(spec, shape));
    const Sizes z = sizesOf(spec, shape);
    const bool encoder = !spec.model.isDecoder();
    const double positions = encoder ? z.batch * shape.maxPredictions : z.tokens();
    const double words = std::ceil(spec.model.vocabulary / z.tensor);
    std::vector<MatrixProduct> products{{positions, words, z.hidden}};
    if (encoder)
        products.push_back({positions, z.hidden, z.hidden});
    const bool frozen = spec.model.lora.isOn();
    HeadWork head;
    head.forward.products = products;
    head.backward.products = frozen ? inputGradientsOf(products) : gradientsOf(products);
    head.forward.traffic = positions * words * kForwardLogitBytes;
    head.backward.collectives = spec.layout.tensor > 1 ? 1 : 0;
    head.backward.reduced = positions * z.hidden * z.element;
    head.backward.traffic = positions * words * kBackwardLogitBytes;
    if (!frozen)
        head.backward.traffic += words * z.hidden * (z.element + 4);
    return head;
}

} // namespace trainyard
