#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <QTemporaryDir>
#include <QTest>

#include "engine/comm/collective_watchdog.h"
#include "engine/comm/flight_recorder.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

/// A collective that ends when the test says so.
class FakeWork final : public DeviceWork {
public:
    void wait() override { ++waits; }
    bool isDone() override
    {
        if (fails)
            throw CommunicationError("remote process exited");
        return done;
    }

    std::atomic<bool> done{false}, fails{false};
    std::atomic<int> waits{0};
};

/// Lets a thread wait until the test opens it.
class Gate {
public:
    void open() { m_open.set_value(); }
    void pass() { m_opened.wait(); }

private:
    std::promise<void> m_open;
    std::shared_future<void> m_opened{m_open.get_future()};
};

/// Reaches one buffer, and remembers what it was asked for.
class FakeTransport final : public DeviceTransport {
public:
    explicit FakeTransport(const void* memory) : m_memory(memory) {}
    ~FakeTransport() override
    {
        if (closing)
            closing->pass();
    }

    bool reaches(const void* memory) const override { return memory == m_memory; }
    Pending allReduce(FloatSpan, ReduceOp op) override { return note(op == ReduceOp::Max ? "max" : "sum"); }
    Pending broadcast(std::span<std::byte>, Rank) override { return note("broadcast"); }
    Pending allGather(std::span<std::byte>) override { return note("gather"); }
    Pending reduceScatter(FloatSpan) override { return note("scatter"); }
    Pending send(std::span<const std::byte>, Rank) override { return note("send"); }
    Pending receive(std::span<std::byte>, Rank) override { return note("receive"); }
    Pending shift(std::span<const std::byte>, std::span<std::byte>) override { return note("shift"); }
    Pending allToAll(std::span<const std::byte>, const BytesByRank&, std::span<std::byte>,
                     const BytesByRank&) override
    {
        return note("all-to-all");
    }

    std::vector<std::string> calls;
    std::vector<std::shared_ptr<FakeWork>> works;
    Gate* calling = nullptr; ///< calls wait here, as NCCL's do until all ranks have come
    Gate* closing = nullptr; ///< and so does the destructor
    bool isBroken = false;

private:
    Pending note(const char* call)
    {
        if (isBroken)
            throw CommunicationError("remote process exited");
        if (calling)
            calling->pass();
        calls.emplace_back(call);
        works.push_back(std::make_shared<FakeWork>());
        works.back()->done = true;
        return works.back();
    }

    const void* m_memory;
};

CollectiveWatchdog::Verdict noVerdict()
{
    return {[](const std::string& what) { QFAIL(what.c_str()); }, [] {}};
}

/// A verdict that a test can wait for.
struct Spoken {
    std::promise<std::string> what;
    std::promise<void> end;

    CollectiveWatchdog::Verdict verdict()
    {
        return {[this](const std::string& text) { what.set_value(text); }, [this] { end.set_value(); }};
    }
    std::string text()
    {
        auto said = what.get_future();
        return said.wait_for(20s) == std::future_status::ready ? said.get() : "nothing was said";
    }
    bool ended() { return end.get_future().wait_for(20s) == std::future_status::ready; }
};

} // namespace

/// How a group hands device memory to its device, and what becomes of collectives that do not end.
class TestDeviceCollectives : public QObject {
    Q_OBJECT

private slots:
    void onlyMemoryOfTheDeviceGoesToItsTransport()
    {
        std::vector<float> device(4), host{1, 2, 3, 4};
        CollectiveWatchdog watchdog(1min, noVerdict());
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 3});
        auto transport = std::make_unique<FakeTransport>(device.data());
        FakeTransport& fake = *transport;
        group.attachDevice(std::move(transport), watchdog);
        const auto bytes = std::as_writable_bytes(std::span(device));
        group.allReduce(std::span(device));
        group.allReduce(std::span(device), ReduceOp::Max);
        group.broadcast(bytes);
        group.allGather(bytes);
        group.reduceScatter(std::span(device));
        group.send(bytes, Rank{0});
        group.receive(bytes, Rank{0});
        group.shiftAsync(bytes, bytes).wait();
        group.allToAll({}, {0, 0}, bytes, {bytes.size(), 0});
        group.allReduce(std::span(host));
        const std::vector<std::string> expected{"sum",  "max",     "broadcast", "gather",    "scatter",
                                                "send", "receive", "shift",     "all-to-all"};
        QVERIFY(fake.calls == expected);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(fake.works[i]->waits.load(), expected[i] == "send" ? 0 : 1); // the sender goes on
    }

    void theRingSaysWhatTheDeviceHasFinished()
    {
        QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "0000.ring";
        const auto recorder = FlightRecorder::create(file, {Rank{0}, WorldSize{1}}).value();
        std::vector<float> device(4);
        CollectiveWatchdog watchdog(1min, noVerdict());
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, recorder.get(), 3});
        auto transport = std::make_unique<FakeTransport>(device.data());
        FakeTransport& fake = *transport;
        group.attachDevice(std::move(transport), watchdog);
        group.allReduce(std::span(device));
        const auto newest = [&] { return readFlightRing(file).value().entries.back(); };
        AWAIT(newest().leftNs > 0);
        QCOMPARE(newest().group, std::uint32_t(3));
        QCOMPARE(fake.works.size(), std::size_t(1));
    }

    void aCollectiveThatFailsIsNamedAndGivenUp()
    {
        Spoken spoken;
        CollectiveWatchdog watchdog(1min, spoken.verdict());
        const auto work = std::make_shared<FakeWork>();
        CollectiveWatchdog::Call call(watchdog, "all-reduce 17 of group 3");
        call.handedOver(work, [] { QFAIL("it is not done"); });
        work->fails = true;
        QCOMPARE(spoken.text(), std::string("all-reduce 17 of group 3 failed: remote process exited"));
        QVERIFY(spoken.ended());
    }

    void aCollectiveThatDoesNotEndIsNamedAndGivenUp()
    {
        Spoken spoken;
        CollectiveWatchdog watchdog(50ms, spoken.verdict());
        const auto first = std::make_shared<FakeWork>();
        const auto second = std::make_shared<FakeWork>();
        std::atomic<bool> firstDone = false;
        first->done = true;
        CollectiveWatchdog::Call(watchdog, "broadcast 1 of group 0").handedOver(first, [&] {
            firstDone = true;
        });
        CollectiveWatchdog::Call(watchdog, "all-gather 2 of group 0").handedOver(second, [] {
            QFAIL("it is not done");
        });
        const std::string text = spoken.text();
        QVERIFY2(text.starts_with("all-gather 2 of group 0 did not finish within 50 ms"), text.c_str());
        QVERIFY(spoken.ended());
        QVERIFY(firstDone);
    }

    void aCallThatWaitsForAnotherRankIsNamedAndGivenUp()
    {
        Spoken spoken;
        std::vector<float> device(4);
        CollectiveWatchdog watchdog(50ms, spoken.verdict());
        Gate gate;
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 3});
        auto transport = std::make_unique<FakeTransport>(device.data());
        transport->calling = &gate;
        group.attachDevice(std::move(transport), watchdog);
        std::thread training([&] { group.allReduce(std::span(device)); });
        const std::string text = spoken.text();
        const bool ended = spoken.ended();
        gate.open();
        training.join();
        QVERIFY2(text.starts_with("all-reduce 1 of group 3 did not finish within 50 ms"), text.c_str());
        QVERIFY(ended);
    }

    void aGroupThatCannotBeClosedIsNamedAndGivenUp()
    {
        Spoken spoken;
        CollectiveWatchdog watchdog(50ms, spoken.verdict());
        Gate gate;
        auto group = std::make_unique<ProcessGroup>(
            ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, nullptr, 3});
        auto transport = std::make_unique<FakeTransport>(nullptr);
        transport->closing = &gate;
        group->attachDevice(std::move(transport), watchdog);
        std::thread training([&] { group.reset(); });
        const std::string text = spoken.text();
        gate.open();
        training.join();
        QVERIFY2(text.starts_with("closing group 3 did not finish within 50 ms"), text.c_str());
    }

    void callsThatReturnedAreForgotten()
    {
        Spoken spoken;
        CollectiveWatchdog watchdog(50ms, spoken.verdict());
        for (int i = 0; i < 100; ++i)
            const CollectiveWatchdog::Call call(watchdog, "a call that returned");
        const CollectiveWatchdog::Call call(watchdog, "the call that does not return");
        const std::string text = spoken.text();
        QVERIFY2(text.starts_with("the call that does not return did not finish"), text.c_str());
    }

    void aBrokenGroupSaysInWhichCollective()
    {
        std::vector<float> device(4);
        CollectiveWatchdog watchdog(1min, noVerdict());
        ProcessGroup group({std::make_unique<LocalTransport>(), nullptr, nullptr, 3});
        auto transport = std::make_unique<FakeTransport>(device.data());
        transport->isBroken = true;
        group.attachDevice(std::move(transport), watchdog);
        std::string told;
        try {
            group.allReduce(std::span(device));
        } catch (const CommunicationError& error) {
            told = error.what();
        }
        QCOMPARE(told, std::string("all-reduce 1 of group 3 failed: remote process exited"));
    }
};

QTEST_APPLESS_MAIN(TestDeviceCollectives)
#include "tst_device_collectives.moc"
