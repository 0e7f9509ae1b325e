#include <algorithm>
#include <limits>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros_like.h>
#include <torch/autograd.h>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/nn/attention.h"
#include "engine/nn/sequence_slice.h"
#include "engine/parallel/context/attention_tiles.h"
#include "engine/parallel/context/ring_attention.h"
#include "engine/spec/context_share.h"
#include "tests/support/tested_device/tested_device.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

constexpr std::int64_t kSequences = 3;
constexpr DropoutKey kKey{7, 3};
constexpr std::uint32_t kSite = 4;

struct Case {
    std::int64_t length = 13;
    bool causal = false;
    bool padded = false;
    double dropout = 0;
    bool rotary = false;
    at::ScalarType type = at::kDouble;
};

ModelSpec modelOf(const Case& c)
{
    ModelSpec model;
    model.setFamily(c.causal ? ModelFamily::Gpt : ModelFamily::Bert);
    model.hidden = 24;
    model.heads = 4;
    model.attentionDropout = c.dropout;
    model.positions = c.rotary ? PositionEncoding::Rotary : PositionEncoding::Learned;
    return model;
}

TokenBatch batchOf(const Case& c)
{
    TokenBatch batch;
    batch.inputIds = at::ones({kSequences, c.length}, at::kLong);
    batch.targetPositions = at::arange(kSequences * c.length, at::kLong);
    batch.targets = batch.targetPositions;
    batch.sampleIndices = {5, 6, 70};
    if (!c.padded)
        return batch;
    batch.attentionMask = at::ones({kSequences, c.length}, at::kLong);
    batch.attentionMask[1].narrow(0, c.length / 2, c.length - c.length / 2).zero_();
    batch.attentionMask[2].narrow(0, 1, c.length - 1).zero_();
    return batch;
}

/// Numbers that look random, [B S, 3 H] or [B S, H].
at::Tensor waves(const Case& c, std::int64_t width, double phase)
{
    const std::int64_t count = kSequences * c.length * width;
    return at::sin(at::arange(count, at::kDouble) * 0.7 + phase).view({-1, width}).mul_(2).to(c.type);
}

/// Rows of the tokens in the slice.
at::Tensor rowsOf(const at::Tensor& values, const SequenceSlice& slice)
{
    const at::Tensor byToken = values.view({kSequences, slice.length, -1});
    std::vector<at::Tensor> runs;
    for (const IndexRange& run : slice.positions)
        runs.push_back(byToken.narrow(1, run.begin, run.size()));
    return at::cat(runs, 1).reshape({-1, byToken.size(2)});
}

struct Attended {
    at::Tensor output;
    at::Tensor gradient; ///< of queries, keys and values
};

Attended attend(const Case& c, const at::Tensor& queryKeyValue, const at::Tensor& gradient,
                const ContextParallel* context)
{
    const ModelSpec model = modelOf(c);
    const SharedPass pass = beginPass({.model = model,
                                       .runner = directRunner(),
                                       .type = c.type,
                                       .device = testedDevice(),
                                       .context = context},
                                      batchOf(c), kKey);
    const at::Tensor leaf = queryKeyValue.clone().requires_grad_(true);
    const at::Tensor output = attention(leaf, *pass, 0, kSite);
    output.backward(gradient);
    return {output.detach(), leaf.grad()};
}

double difference(const at::Tensor& a, const at::Tensor& b)
{
    if (a.sizes() != b.sizes())
        return std::numeric_limits<double>::infinity();
    const at::Tensor x = a.to(at::kDouble);
    const at::Tensor y = b.to(at::kDouble);
    return ((x - y).norm() / y.norm()).item<double>();
}

/// Attention over whole sequences in float64, of the same numbers.
Attended wholeInFloat64(Case c)
{
    const at::Tensor queryKeyValue = waves(c, 72, 0.1).to(at::kDouble);
    const at::Tensor gradient = waves(c, 24, 0.9).to(at::kDouble);
    c.type = at::kDouble;
    return attend(c, queryKeyValue, gradient, nullptr);
}

double difference(const Attended& a, const Attended& b)
{
    return std::max(difference(a.output, b.output), difference(a.gradient, b.gradient));
}

/// What rounding to the case's type does to attention over whole sequences, relative.
double roundingOfWhole(const Case& c)
{
    return difference(attend(c, waves(c, 72, 0.1), waves(c, 24, 0.9), nullptr), wholeInFloat64(c));
}

/// The rows of a slice back where they belong.
void place(const at::Tensor& rows, const SequenceSlice& slice, at::Tensor& values)
{
    const at::Tensor byToken = values.view({kSequences, slice.length, -1});
    const at::Tensor part = rows.view({kSequences, slice.size(), -1});
    std::int64_t first = 0;
    for (const IndexRange& run : slice.positions) {
        byToken.narrow(1, run.begin, run.size()).copy_(part.narrow(1, first, run.size()));
        first += run.size();
    }
}

/// What the ranks of a ring compute, put together.
Attended attendInRing(const Case& c, int ranks)
{
    const at::Tensor queryKeyValue = waves(c, 72, 0.1);
    const at::Tensor gradient = waves(c, 24, 0.9);
    Attended all{at::zeros_like(gradient), at::zeros_like(queryKeyValue)};
    runAsThreads(ranks, [&](ProcessGroup& group) {
        const auto slice = SequenceSlice::ofContextRank(c.length, group.rank().value, ranks, c.causal);
        const RingAttention ring(group);
        const Attended part = attend(c, rowsOf(queryKeyValue, slice), rowsOf(gradient, slice), &ring);
        place(part.output, slice, all.output);
        place(part.gradient, slice, all.gradient);
    });
    return all;
}

/// Relative difference between a ring and attention over whole sequences in float64.
double ringDifference(const Case& c, int ranks)
{
    return difference(attendInRing(c, ranks), wholeInFloat64(c));
}

} // namespace

class TestRingAttention : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { at::set_num_threads(1); } // each rank is a thread

    void isAttentionOverTheWholeSequence_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("length");
        QTest::addColumn<bool>("causal");
        QTest::addColumn<bool>("padded");
        QTest::addColumn<bool>("rotary");
        for (const int ranks : {2, 3, 4}) {
            for (const bool causal : {false, true}) {
                for (const bool padded : {false, true}) {
                    for (const int length : {ranks, 13, 24})
                        QTest::addRow("%d ranks, %d tokens%s%s", ranks, length, causal ? ", causal" : "",
                                      padded ? ", padded" : "")
                            << ranks << length << causal << padded << (length == 24);
                }
            }
        }
        QTest::addRow("several tiles") << 2 << 1300 << false << true << false;
        QTest::addRow("several tiles, causal") << 2 << 2100 << true << false << false;
    }
    void isAttentionOverTheWholeSequence()
    {
        QFETCH(int, ranks);
        QFETCH(int, length);
        QFETCH(bool, causal);
        QFETCH(bool, padded);
        QFETCH(bool, rotary);
        for (const double dropout : {0.0, 0.3}) {
            const double worst = ringDifference({length, causal, padded, dropout, rotary}, ranks);
            QVERIFY2(worst < 1e-12, qPrintable(QString("dropout %1: %2").arg(dropout).arg(worst)));
        }
    }

    void roundsLikeAttentionOverTheWholeSequence_data()
    {
        QTest::addColumn<int>("type");
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf})
            QTest::addRow("%s", at::toString(type)) << int(type);
    }
    void roundsLikeAttentionOverTheWholeSequence()
    {
        QFETCH(int, type);
        for (const bool causal : {false, true}) {
            const Case c{24, causal, false, 0.1, false, at::ScalarType(type)};
            const double ring = ringDifference(c, 3);
            const double whole = roundingOfWhole(c);
            QVERIFY2(ring < 2 * whole, qPrintable(QString("%1, whole %2").arg(ring).arg(whole)));
        }
    }

    void sharesTokensAndWorkEvenly_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("length");
        QTest::addColumn<bool>("causal");
        for (const int ranks : {1, 2, 3, 8}) {
            for (const int length : {8, 24, 37, 128}) {
                QTest::addRow("%d ranks, %d tokens", ranks, length) << ranks << length << false;
                QTest::addRow("%d ranks, %d tokens, causal", ranks, length) << ranks << length << true;
            }
        }
    }
    void sharesTokensAndWorkEvenly()
    {
        QFETCH(int, ranks);
        QFETCH(int, length);
        QFETCH(bool, causal);
        std::vector<int> owners(std::size_t(length), 0);
        std::vector<std::int64_t> seen(std::size_t(ranks), 0); // by the rank's queries
        for (int rank = 0; rank < ranks; ++rank) {
            const auto slice = SequenceSlice::ofContextRank(length, rank, ranks, causal);
            QVERIFY(slice.size() == length / ranks || slice.size() == length / ranks + 1);
            QCOMPARE(int(slice.size()), tokensOfContextRank(length, rank, ranks, causal));
            QCOMPARE(slice.hasFirst(), rank == 0);
            for (const IndexRange& run : slice.positions) {
                for (std::int64_t position = run.begin; position < run.end; ++position) {
                    ++owners[std::size_t(position)];
                    seen[std::size_t(rank)] += causal ? position + 1 : length;
                }
            }
        }
        QVERIFY(std::ranges::all_of(owners, [](int count) { return count == 1; }));
        if (length % (2 * ranks) == 0)
            QVERIFY(std::ranges::all_of(seen, [&](std::int64_t keys) { return keys == seen.front(); }));
    }

    void computesNoTileThatNobodySees()
    {
        const auto runs = [](int rank) { return runsOf(SequenceSlice::ofContextRank(16, rank, 2, true)); };
        // Rank 0 has 0 .. 3 and 12 .. 15, rank 1 has 4 .. 11 in one run.
        SharedAttention causal;
        causal.causal = true;
        QCOMPARE(tilesOf(runs(0), runs(0), causal).size(), std::size_t(3));
        QCOMPARE(tilesOf(runs(0), runs(1), causal).size(), std::size_t(1));
        QCOMPARE(tilesOf(runs(0), runs(1), {}).size(), std::size_t(2));
        // Of packed sequences those that lie on both: here none of the first run's.
        SharedAttention packed;
        packed.packed = {{1, 0, 4}, {2, 4, 8}, {3, 12, 4}};
        QCOMPARE(tilesOf(runs(0), runs(1), packed).size(), std::size_t(0));
        packed.packed = {{1, 0, 3}, {2, 3, 2}, {3, 5, 11}};
        QCOMPARE(tilesOf(runs(0), runs(1), packed).size(), std::size_t(2));
    }

    void slicesPackedBatches()
    {
        TokenBatch batch;
        batch.inputIds = at::arange(12, at::kLong);
        batch.positionIds = at::tensor({0, 1, 2, 0, 1, 2, 3, 4, 0, 1, 0, 0}, at::kLong);
        batch.targetPositions = at::tensor({1, 3, 4, 7, 9}, at::kLong);
        batch.targets = at::tensor({21, 23, 24, 27, 29}, at::kLong);
        batch.sequenceLabels = at::tensor({1, 0, 1}, at::kLong);
        batch.sampleIndices = {4, 9, 7};
        batch.packedLengths = {3, 5, 2}; // and two tokens of filler
        batch.packedFrom = 6;
        const auto equals = [](const at::Tensor& values, std::vector<std::int64_t> expected) {
            return at::equal(values.reshape({-1}), at::tensor(expected, at::kLong));
        };
        const TokenBatch second = sliceOf(batch, sliceFor(batch, 1, 3, true)); // tokens 4 to 7
        QVERIFY(equals(second.inputIds, {4, 5, 6, 7}));
        QVERIFY(equals(second.positionIds, {1, 2, 3, 4}));
        QCOMPARE(second.packedLengths, (std::vector<std::int64_t>{4}));
        QCOMPARE(second.packedBefore, std::int64_t(1));
        QCOMPARE(second.sampleIndices, (std::vector<std::uint64_t>{9}));
        QVERIFY(equals(second.targetPositions, {0, 3}));
        QVERIFY(equals(second.targets, {24, 27}));
        QVERIFY(equals(second.sequenceLabels, {})); // its sequence begins on the rank before
        QVERIFY(equals(second.firstTokens(), {}));
        const TokenBatch first = sliceOf(batch, sliceFor(batch, 0, 3, true));
        QCOMPARE(first.packedLengths, (std::vector<std::int64_t>{3, 1}));
        QVERIFY(equals(first.sequenceLabels, {1, 0}));
        QVERIFY(equals(first.firstTokens(), {0, 3}));
        const TokenBatch last = sliceOf(batch, sliceFor(batch, 2, 3, true));
        QCOMPARE(last.packedLengths, (std::vector<std::int64_t>{2}));
        QVERIFY(equals(last.sequenceLabels, {1}));
        QCOMPARE(last.places().size(), std::size_t(2)); // the filler is the last one
        const TokenBatch filler = sliceOf(batch, sliceFor(batch, 5, 6, true));
        QCOMPARE(filler.packedLengths, (std::vector<std::int64_t>{2}));
        QVERIFY(equals(filler.firstTokens(), {}));
        QCOMPARE(filler.targetCount(), std::int64_t(0));
    }

    void slicesBatches()
    {
        TokenBatch batch;
        batch.inputIds = at::arange(2 * 7, at::kLong).view({2, 7});
        batch.tokenTypeIds = batch.inputIds + 100;
        batch.targetPositions = at::tensor({0, 3, 6, 8, 10, 13}, at::kLong);
        batch.targets = at::tensor({20, 23, 26, 28, 30, 33}, at::kLong);
        batch.sequenceLabels = at::tensor({1, 0}, at::kLong);
        batch.sampleIndices = {4, 9};
        const SequenceSlice slice{7, {{1, 4}, {6, 7}}};
        const TokenBatch part = sliceOf(batch, slice);
        const auto equals = [](const at::Tensor& values, std::vector<std::int64_t> expected) {
            return at::equal(values.reshape({-1}), at::tensor(expected, at::kLong));
        };
        QVERIFY(equals(part.inputIds, {1, 2, 3, 6, 8, 9, 10, 13}));
        QVERIFY(equals(part.tokenTypeIds, {101, 102, 103, 106, 108, 109, 110, 113}));
        QVERIFY(equals(part.positionIds, {1, 2, 3, 6, 1, 2, 3, 6}));
        QVERIFY(equals(targetsIn(batch, slice), {1, 2, 3, 4, 5}));
        QVERIFY(equals(part.targetPositions, {2, 3, 4, 6, 7}));
        QVERIFY(equals(part.targets, {23, 26, 28, 30, 33}));
        QVERIFY(equals(part.sequenceLabels, {})); // [CLS] is elsewhere
        QCOMPARE(part.sampleIndices, batch.sampleIndices);
        QVERIFY(equals(sliceOf(batch, {7, {{0, 2}}}).sequenceLabels, {1, 0}));
        // Of a batch on a device the host's positions are read, so that the host waits for nothing.
        TokenBatch away = batch.on(at::kCPU);
        away.targetPositions = at::full_like(batch.targetPositions, -1);
        const TokenBatch partAway = sliceOf(away, slice);
        QVERIFY(equals(partAway.hostTargetPositions, {2, 3, 4, 6, 7}));
        QVERIFY(equals(partAway.targetPositions, {2, 3, 4, 6, 7}));
        QVERIFY(equals(partAway.targets, {23, 26, 28, 30, 33}));
    }
};

QTEST_APPLESS_MAIN(TestRingAttention)
#include "tst_ring_attention.moc"
