#include <atomic>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/tensor.h>
#include <torch/autograd.h>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/nn/cross_entropy.h"
#include "engine/nn/tensor_parallel.h"
#include "tests/support/tested_device/tested_device.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

/// Numbers that look random, the same everywhere.
at::Tensor waves(std::initializer_list<std::int64_t> shape, double phase)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return at::sin(at::arange(count, at::kDouble) * 0.7 + phase).view(shape);
}

at::Tensor leaf(const at::Tensor& values)
{
    return values.clone().requires_grad_(true);
}

bool close(const at::Tensor& a, const at::Tensor& b)
{
    return at::allclose(a, b, 1e-12, 1e-13);
}

} // namespace

class TestTensorParallel : public QObject {
    Q_OBJECT

private slots:
    void crossEntropyIsThatOfTheWholeVocabulary_data() { addRanks(); }
    void crossEntropyIsThatOfTheWholeVocabulary()
    {
        QFETCH(int, ranks);
        const at::Tensor targets = at::arange(11, at::kLong) * 9 % 97;
        const at::Tensor whole = leaf(waves({11, 97}, 0.1) * 30);
        const at::Tensor loss = crossEntropySum(whole, targets, *testedDevice().compute);
        (loss * 0.25).backward();
        std::atomic<int> equal = 0;
        runAsThreads(ranks, [&](ProcessGroup& group) {
            const TensorParallel parallel{&group};
            const IndexRange mine = evenShare(97, group.rank().value, ranks);
            const at::Tensor part = leaf(whole.detach().narrow(1, mine.begin, mine.size()));
            const at::Tensor sum =
                vocabularyCrossEntropySum(part, targets, mine, parallel, *testedDevice().compute);
            (sum * 0.25).backward();
            equal += close(sum, loss) && close(part.grad(), whole.grad().narrow(1, mine.begin, mine.size()));
        });
        QCOMPARE(equal.load(), ranks);
    }

    void correctPredictionsAreThoseOfTheWholeVocabulary_data() { addRanks(); }
    void correctPredictionsAreThoseOfTheWholeVocabulary()
    {
        QFETCH(int, ranks);
        at::Tensor whole = waves({6, 97}, 0.1);
        whole.select(1, 20).fill_(5);
        whole.select(1, 80).fill_(5); // as large, on another rank: the first of them counts
        whole.index_put_({at::tensor({4, 5}, at::kLong), at::tensor({60, 0}, at::kLong)},
                         at::tensor({6.0, 6.0}, at::kDouble));
        const at::Tensor targets = at::tensor({20, 80, 20, 3, 60, 1}, at::kLong); // right: 0, 2 and 4
        std::atomic<int> equal = 0;
        runAsThreads(ranks, [&](ProcessGroup& group) {
            const TensorParallel parallel{ranks > 1 ? &group : nullptr};
            const IndexRange mine = evenShare(97, group.rank().value, ranks);
            const auto right = [&](const at::Tensor& logits_MV) {
                return correctPredictions(logits_MV.narrow(1, mine.begin, mine.size()), targets, mine,
                                          parallel)
                    .item<double>();
            };
            equal += right(whole) == 3 && right(whole.to(at::kBFloat16)) == 3;
        });
        QCOMPARE(equal.load(), ranks);
        const at::Tensor none = at::empty({0, 97}, at::kDouble);
        QCOMPARE(correctPredictions(none, at::empty({0}, at::kLong), {}, {}).item<double>(), 0.0);
    }

    // y = W2 (W1 x) with W1 cut by rows and W2 by columns, then a part that every rank computes whole.
    void cutProductsGiveTheWholeOnes_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("sequence");
        for (const int ranks : {2, 4}) {
            QTest::addRow("%d ranks", ranks) << ranks << false;
            QTest::addRow("%d ranks, tokens sliced", ranks) << ranks << true;
        }
    }
    void cutProductsGiveTheWholeOnes()
    {
        QFETCH(int, ranks);
        QFETCH(bool, sequence);
        constexpr std::int64_t tokens = 12;
        const at::Tensor x = leaf(waves({tokens, 5}, 0));
        const at::Tensor in = leaf(waves({8, 5}, 1));
        const at::Tensor out = leaf(waves({5, 8}, 2));
        const at::Tensor y = at::linear(at::linear(x.sin(), in), out);
        y.pow(3).sum().backward();
        std::atomic<int> equal = 0;
        runAsThreads(ranks, [&](ProcessGroup& group) {
            const TensorParallel parallel{&group, sequence};
            const IndexRange mine = evenShare(8, group.rank().value, ranks);
            const IndexRange here = parallel.tokensHere(tokens);
            const at::Tensor mine_TH = leaf(x.detach().narrow(0, here.begin, here.size()));
            const at::Tensor myIn = leaf(in.detach().narrow(0, mine.begin, mine.size()));
            const at::Tensor myOut = leaf(out.detach().narrow(1, mine.begin, mine.size()));
            const at::Tensor left =
                leaveCut(at::linear(at::linear(enterCut(mine_TH.sin(), parallel), myIn), myOut), parallel);
            const at::Tensor all = gatherTokens(left, parallel);
            all.pow(3).sum().backward();
            equal += close(left, y.detach().narrow(0, here.begin, here.size())) && close(all, y) &&
                     close(mine_TH.grad(), x.grad().narrow(0, here.begin, here.size())) &&
                     close(myIn.grad(), in.grad().narrow(0, mine.begin, mine.size())) &&
                     close(myOut.grad(), out.grad().narrow(1, mine.begin, mine.size()));
        });
        QCOMPARE(equal.load(), ranks);
    }

private:
    static void addRanks()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
};

QTEST_APPLESS_MAIN(TestTensorParallel)
#include "tst_tensor_parallel.moc"
