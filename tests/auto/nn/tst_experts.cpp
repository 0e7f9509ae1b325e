#include <QTest>

#include <atomic>

#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/topk.h>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/nn/experts/expert_exchange.h"
#include "engine/nn/experts/expert_product.h"
#include "engine/nn/experts/router.h"
#include "engine/nn/forward_pass.h"
#include "tests/auto/nn/tiny_model.h"

using namespace trainyard;

namespace {

constexpr double kScale = 3.5;

ModelSpec modelWithExperts()
{
    ModelSpec model = tinyModel(ModelFamily::Qwen3Moe);
    model.layers = 2;
    model.experts = {.count = 4, .perToken = 2, .balanceLoss = 0.5, .zLoss = 0.25};
    return model;
}

at::Tensor numbers(std::int64_t rows, std::int64_t columns, double phase)
{
    return at::sin(at::arange(rows * columns, at::kDouble) * 0.7 + phase).view({rows, columns});
}

SharedPass passOf(const ModelSpec& model, double routerLossScale)
{
    return beginPass({model, directRunner(), at::kDouble}, tinyBatch(model), std::nullopt, nullptr,
                     routerLossScale);
}

/// The losses as their papers write them, of tokens alone.
at::Tensor routerLoss(const at::Tensor& padded, const at::Tensor& mask, const at::Tensor& weight,
                      const ExpertSpec& experts)
{
    const at::Tensor input = padded.index({mask.flatten() == 1});
    const at::Tensor logits = at::mm(input, weight.t());
    const at::Tensor probabilities = at::softmax(logits, 1);
    const at::Tensor chosen = std::get<1>(at::topk(probabilities, experts.perToken, 1)).flatten();
    const at::Tensor shares = at::bincount(chosen, {}, experts.count).to(at::kDouble) / double(input.size(0));
    const at::Tensor balance = experts.count * (shares * probabilities.mean(0)).sum();
    return experts.balanceLoss * balance + experts.zLoss * at::logsumexp(logits, 1).square().mean();
}

double largest(const at::Tensor& values)
{
    return values.abs().max().item<double>();
}

} // namespace

class TestExperts : public QObject {
    Q_OBJECT

private slots:
    void givesTheLikeliestTheirShare()
    {
        const ModelSpec model = modelWithExperts();
        const at::Tensor input = numbers(21, model.hidden, 0.1);
        const at::Tensor weight = numbers(model.experts.count, model.hidden, 0.4);
        const Routing routing = route(input, {weight, {}}, *passOf(model, 0));
        const at::Tensor probabilities = at::softmax(at::mm(input, weight.t()), 1);
        const at::Tensor taken = probabilities.gather(1, routing.experts_TK);
        QVERIFY(largest(taken / taken.sum(1, true) - routing.weights_TK) < 1e-12);
        QVERIFY(taken.select(1, 0).ge(taken.select(1, 1)).all().item<bool>());
        const at::Tensor left = probabilities.scatter(1, routing.experts_TK, 0.0);
        QVERIFY(std::get<0>(left.max(1)).le(taken.select(1, 1)).all().item<bool>());
    }

    void addsTheGradientOfTheRoutersLosses()
    {
        const ModelSpec model = modelWithExperts();
        const at::Tensor input = numbers(21, model.hidden, 0.1);
        const at::Tensor weight = numbers(model.experts.count, model.hidden, 0.4).requires_grad_(true);
        const auto pass = passOf(model, kScale);
        const Routing routing = route(input, {weight, {}}, *pass);
        routing.weights_TK.backward(at::zeros_like(routing.weights_TK)); // of the losses alone
        const at::Tensor plain = weight.detach().clone().requires_grad_(true);
        routerLoss(input, tinyBatch(model).attentionMask, plain, model.experts).backward();
        const at::Tensor expected = plain.grad() * (kScale / model.layers);
        QVERIFY(largest(expected) > 1e-3);
        QVERIFY(largest(weight.grad() - expected) < 1e-12);
    }

    void leavesTheLossesOutOfAnEvaluation()
    {
        const ModelSpec model = modelWithExperts();
        const at::Tensor input = numbers(21, model.hidden, 0.1);
        const at::Tensor weight = numbers(model.experts.count, model.hidden, 0.4).requires_grad_(true);
        const Routing routing = route(input, {weight, {}}, *passOf(model, 0));
        routing.weights_TK.backward(at::zeros_like(routing.weights_TK));
        QCOMPARE(largest(weight.grad()), 0.0);
    }

    // Of six experts on three ranks; no row goes to those of the second one.
    void bringsRowsToTheirExpertsAndBack()
    {
        constexpr std::int64_t kExperts = 6;
        std::atomic<int> right = 0;
        runAsThreads(3, [&](ProcessGroup& group) {
            const int rank = group.rank().value;
            std::vector<std::int64_t> counts(kExperts);
            for (int expert = 0; expert < kExperts; ++expert)
                counts[std::size_t(expert)] = expert / 2 == 1 ? 0 : (rank + expert) % 3;
            const at::Tensor expertOf =
                at::repeat_interleave(at::arange(kExperts), at::tensor(counts)).to(at::kDouble);
            const at::Tensor numbersOf = at::arange(expertOf.size(0), at::kDouble) + 1000.0 * rank;
            const at::Tensor rows = at::stack({expertOf, numbersOf}, 1).requires_grad_(true);
            const ExpertExchange exchange(group, counts);
            const at::Tensor here = exchange.toExperts(rows);
            const at::Tensor came =
                at::repeat_interleave(at::arange(2 * rank, 2 * rank + 2), at::tensor(exchange.countsHere()));
            const bool inOrder = at::equal(here.select(1, 0), came.to(at::kDouble));
            bool byRank = true; // within each expert
            for (std::int64_t i = 1; i < here.size(0); ++i)
                byRank &= here[i][0].item<double>() > here[i - 1][0].item<double>() ||
                          here[i][1].item<double>() > here[i - 1][1].item<double>();
            const at::Tensor back = exchange.back(here * (came + 2).unsqueeze(1));
            back.backward(at::ones_like(back));
            const at::Tensor factors = (expertOf + 2).unsqueeze(1);
            const bool isBack = at::equal(back, rows * factors);
            right += inOrder && byRank && isBack && at::equal(rows.grad(), factors.expand_as(rows));
        });
        QCOMPARE(right.load(), 3);
    }

    // Of experts of which one gets no row.
    void multipliesEachExpertsRows()
    {
        const std::vector<std::int64_t> counts{3, 0, 2};
        at::Tensor input = numbers(5, 4, 0.2).requires_grad_(true);
        at::Tensor weight = numbers(3 * 6, 4, 0.3).requires_grad_(true);
        const at::Tensor gradient = numbers(5, 6, 0.9);
        const at::Tensor output = expertProduct(input, weight, counts, processorCompute());
        output.backward(gradient);
        at::Tensor plainInput = input.detach().clone().requires_grad_(true);
        at::Tensor plainWeight = weight.detach().clone().requires_grad_(true);
        const at::Tensor expected =
            at::cat({at::mm(plainInput.narrow(0, 0, 3), plainWeight.narrow(0, 0, 6).t()),
                     at::mm(plainInput.narrow(0, 3, 2), plainWeight.narrow(0, 12, 6).t())});
        expected.backward(gradient);
        QVERIFY(largest(output - expected) < 1e-12);
        QVERIFY(largest(input.grad() - plainInput.grad()) < 1e-12);
        QVERIFY(largest(weight.grad() - plainWeight.grad()) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestExperts)
#include "tst_experts.moc"
