#include <QTest>

#include <atomic>
#include <random>
#include <vector>

#include "datasets/job/ordered_pipeline.h"
#include "datasets/job/parallel_tasks.h"

using namespace trainyard;

namespace {

using Pipeline = OrderedPipeline<int, int>;

/// Counts 0 .. count-1, then ends; fails at `bad`.
Pipeline::Produce counter(int count, int bad = -1)
{
    return [next = 0, count, bad]() mutable -> Result<std::optional<int>> {
        if (next == bad)
            return badInput("item is bad");
        return next < count ? std::optional(next++) : std::optional<int>();
    };
}

/// Squares, taking longer for some items than for others.
int slowSquare(int value)
{
    std::this_thread::sleep_for(std::chrono::microseconds((value * 7919) % 300));
    return value * value;
}

} // namespace

class TestOrderedPipeline : public QObject {
    Q_OBJECT

private slots:
    void keepsTheOrderOfProduction()
    {
        for (const int threads : {1, 2, 7}) {
            std::vector<int> seen;
            const auto status = Pipeline::run(threads, counter(500), slowSquare, [&](int&& value) -> Status {
                seen.push_back(value);
                return {};
            });
            QVERIFY(status.ok());
            QCOMPARE(seen.size(), std::size_t(500));
            for (int i = 0; i < 500; ++i)
                QCOMPARE(seen[static_cast<std::size_t>(i)], i * i);
        }
    }

    void boundsWhatIsUnderWay()
    {
        std::atomic<int> underWay = 0, most = 0;
        const auto produce = [next = 0, &underWay, &most]() mutable -> Result<std::optional<int>> {
            if (next == 300)
                return std::optional<int>();
            most = std::max(most.load(), ++underWay);
            return std::optional(next++);
        };
        const auto status = Pipeline::run(2, produce, slowSquare, [&](int&&) -> Status {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            --underWay;
            return {};
        });
        QVERIFY(status.ok());
        QVERIFY(most <= 9);
    }

    void endsWithTheErrorOfTheProducer()
    {
        const auto status =
            Pipeline::run(3, counter(100, 50), slowSquare, [](int&&) -> Status { return {}; });
        QVERIFY(!status.ok());
        QCOMPARE(status.error().message, std::string("item is bad"));
    }

    void endsWithTheErrorOfTheConsumer()
    {
        int consumed = 0;
        const auto status = Pipeline::run(3, counter(100'000), slowSquare, [&](int&&) -> Status {
            return ++consumed == 20 ? Status(failed("disk is full")) : Status();
        });
        QVERIFY(!status.ok());
        QCOMPARE(status.error().message, std::string("disk is full"));
        QCOMPARE(consumed, 20);
    }

    void runsEveryTaskOnce()
    {
        for (const int threads : {1, 4}) {
            std::vector<std::atomic<int>> runs(100);
            QVERIFY(runTasks(threads, runs.size(), [&](std::size_t i) -> Status {
                        ++runs[i];
                        return {};
                    }).ok());
            for (const auto& count : runs)
                QCOMPARE(count.load(), 1);
        }
        QVERIFY(runTasks(4, 0, [](std::size_t) -> Status { return failed("never"); }).ok());
    }

    void reportsTheFirstFailedTask()
    {
        std::atomic<int> runs = 0;
        const auto status = runTasks(4, 1000, [&](std::size_t i) -> Status {
            ++runs;
            return i >= 3 ? Status(failed("task " + std::to_string(i))) : Status();
        });
        QCOMPARE(status.error().message, std::string("task 3"));
        QVERIFY(runs < 20);
    }
};

QTEST_APPLESS_MAIN(TestOrderedPipeline)
#include "tst_ordered_pipeline.moc"
