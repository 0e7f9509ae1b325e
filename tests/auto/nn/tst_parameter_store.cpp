#include <QTest>

#include <vector>

#include <ATen/ops/ones.h>

#include "engine/nn/parameters/parameter_store.h"

using namespace trainyard;

namespace {

// "first" [3, 4], then "q" and "k" [2, 5] stacked, then "last" [7].
std::vector<ParameterSpec> specs()
{
    return {{"first", {3, 4}, Initialization::Normal, true, false},
            {"q", {2, 5}, Initialization::Normal, true, false},
            {"k", {2, 5}, Initialization::One, true, true},
            {"last", {7}, Initialization::Zero, false, false}};
}

// A loss whose gradient is 1 everywhere in "first" and in the stack, and absent in "last".
void backwardOfSum(const ParameterStore& store, double factor)
{
    ((store.leaf("first").sum() + store.leaf("q").sum()) * factor).to(at::kFloat).backward();
}

} // namespace

class TestParameterStore : public QObject {
    Q_OBJECT

private slots:
    void laysOutInReverseOrderAndAligned()
    {
        const ParameterStore store(specs(), ComputeType::Float32);
        QCOMPARE(store.parameter("last").offset, 0);
        QCOMPARE(store.parameter("q").offset, 32);
        QCOMPARE(store.parameter("k").offset, 42); // directly behind
        QCOMPARE(store.parameter("first").offset, 64);
        QCOMPARE(store.layout().flatCount(), 96);
        QCOMPARE(store.parameterCount(), 12 + 10 + 10 + 7);
        QVERIFY(store.leaf("q").sizes().equals({4, 5}));
    }

    void viewsShareTheFlatBuffers()
    {
        ParameterStore store(specs(), ComputeType::Float32);
        store.initialize(1, 0.02);
        QVERIFY(store.flatMasters().narrow(0, 42, 10).eq(1.0).all().item<bool>());
        store.parameter("last").master.fill_(5.0);
        QVERIFY(store.leaf("last").eq(5.0).all().item<bool>());
    }

    void addsGradientsOfMicroBatches_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addRow("float64") << int(ComputeType::Float64);
        QTest::addRow("float32") << int(ComputeType::Float32);
        QTest::addRow("bfloat16") << int(ComputeType::BFloat16);
    }
    void addsGradientsOfMicroBatches()
    {
        QFETCH(int, compute);
        ParameterStore store(specs(), ComputeType(compute));
        store.flatGradients().fill_(100.0); // left from the step before
        store.beginGradients();
        backwardOfSum(store, 1.0);
        backwardOfSum(store, 0.00390625); // 2^-8: a bfloat16 sum would lose it
        for (const char* name : {"first", "q", "k"})
            QVERIFY(store.parameter(name).gradient.eq(1.00390625).all().item<bool>());
        QVERIFY(!store.leaf("first").grad().defined()); // freed at once
    }

    void tellsWhenEachGradientIsThere()
    {
        ParameterStore store(specs(), ComputeType::Float32);
        std::vector<std::size_t> ready;
        store.setGradientListener([&](std::size_t parameter) {
            QVERIFY(store.parameters()[parameter].gradient.eq(1.0).all().item<bool>());
            ready.push_back(parameter);
        });
        store.beginGradients();
        backwardOfSum(store, 1.0);
        std::sort(ready.begin(), ready.end());
        QCOMPARE(ready, (std::vector<std::size_t>{0, 1, 2}));
    }

    void workingCopyFollowsTheMasters()
    {
        ParameterStore store(specs(), ComputeType::BFloat16);
        store.initialize(1, 0.02);
        const Parameter& first = store.parameter("first");
        QCOMPARE(first.working.scalar_type(), at::kBFloat16);
        QCOMPARE(first.master.scalar_type(), at::kFloat);
        QVERIFY(first.working.equal(first.master.to(at::kBFloat16)));
        first.master.fill_(3.0);
        QVERIFY(!store.leaf("first").eq(3.0).any().item<bool>());
        store.refreshWorkingCopy();
        QVERIFY(store.leaf("first").eq(3.0).all().item<bool>());
    }

    void initialisesByKind()
    {
        ParameterStore store(specs(), ComputeType::Float64);
        store.initialize(1, 0.02);
        QVERIFY(store.parameter("first").master.ne(0.0).all().item<bool>());
        QVERIFY(store.parameter("k").master.eq(1.0).all().item<bool>());
        QVERIFY(store.parameter("last").master.eq(0.0).all().item<bool>());
    }
};

QTEST_APPLESS_MAIN(TestParameterStore)
#include "tst_parameter_store.moc"
