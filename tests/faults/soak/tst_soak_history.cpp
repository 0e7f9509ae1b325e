#include <map>

#include <QTemporaryDir>
#include <QTest>

#include "tests/faults/soak/fault_plan.h"
#include "tests/faults/soak/history_check.h"

using namespace trainyard::soak;

namespace {

constexpr int kHosts = 2;

double lossAt(std::int64_t step)
{
    return 1.0 / double(step);
}

void add(History& history, Moment atMs, const Happening& what)
{
    Entry& entry = history.emplace_back();
    entry.atMs = atMs;
    entry.what = what;
}

/// Two attempts over two hosts: the first one makes 25 steps and dies behind the checkpoint of step 20, the
/// second one makes 30.
History soundHistory()
{
    History history{{0, Began{7, kHosts}},
                    {10, Looked{1, 1, "running", {{1}, {1}}}},
                    {20, CheckpointSeen{10, {}}},
                    {20, Looked{1, 1, "running", {{1}, {1}}}},
                    {30, CheckpointSeen{20, {}}},
                    {30, Looked{1, 1, "running", {{1}, {1}}}},
                    {35, Injected{"worker killed", 1, 0, "pid 4711"}},
                    {40, Looked{2, 1, "starting", {{}, {1}}}},
                    {50, Looked{2, 2, "running", {{2}, {2}}}},
                    {60, CheckpointSeen{30, {}}},
                    {60, Looked{2, 2, "stopped", {{}, {}}}}};
    std::uint64_t sequence = 0;
    for (std::int64_t step = 1; step <= 25; ++step)
        add(history, 70, RecordKept{"steps", 1, ++sequence, step, lossAt(step), {}});
    for (std::int64_t step = 21; step <= 30; ++step)
        add(history, 70, RecordKept{"steps", 2, ++sequence, step, lossAt(step), {}});
    add(history, 70, StreamCompared{"steps", "ab", "ab"});
    add(history, 70, RecordKept{"run", 1, 1, 0, 0, "running"});
    add(history, 70, RecordKept{"run", 2, 2, 0, 0, "stopped"});
    add(history, 70, StreamCompared{"run", "cd", "cd"});
    for (int host = 0; host < kHosts; ++host)
        add(history, 80, HostAtEnd{host, 0, {}});
    add(history, 80, Ended{"stopped"});
    for (std::int64_t step = 1; step <= 30; ++step)
        add(history, 90, ReferenceStep{step, lossAt(step)});
    return history;
}

/// The n-th entry of a kind, from 0.
template <typename Kind>
Kind& nth(History& history, int index)
{
    for (Entry& entry : history) {
        if (auto* one = std::get_if<Kind>(&entry.what); one && index-- == 0)
            return *one;
    }
    qFatal("the history has no such entry");
}

template <typename Kind>
void removeAll(History& history)
{
    std::erase_if(history, [](const Entry& entry) { return std::holds_alternative<Kind>(entry.what); });
}

/// Without the records of stream "steps" that `leaveOut` chooses; sequences stay without a gap.
void leaveOutSteps(History& history, const std::function<bool(const RecordKept&)>& leaveOut)
{
    std::erase_if(history, [&](const Entry& entry) {
        const auto* record = std::get_if<RecordKept>(&entry.what);
        return record && record->step > 0 && leaveOut(*record);
    });
    std::uint64_t sequence = 0;
    for (Entry& entry : history) {
        if (auto* record = std::get_if<RecordKept>(&entry.what); record && record->step > 0)
            record->sequence = ++sequence;
    }
}

using Spoil = std::function<void(History&)>;

/// What may be wrong with a history, and a part of what is said of it.
const std::map<QByteArray, std::pair<Spoil, QByteArray>> kFlaws{
    {"nothing was injected", {[](History& h) { nth<Injected>(h, 0).how.clear(); }, "no fault"}},
    {"it breaks off", {[](History& h) { removeAll<Ended>(h); }, "end once"}},
    {"a record is lost",
     {[](History& h) {
          std::erase_if(h, [](const Entry& e) {
              const auto* r = std::get_if<RecordKept>(&e.what);
              return r && r->sequence == 5;
          });
      },
      "record 6 follows record 4"}},
    {"a record is doubled",
     {[](History& h) { nth<RecordKept>(h, 5).sequence = 5; }, "record 5 follows record 5"}},
    {"the desk has something else",
     {[](History& h) { nth<StreamCompared>(h, 0).desk = "xy"; }, "stream steps: the desk has other bytes"}},
    {"nobody asked what the desk has", {[](History& h) { removeAll<StreamCompared>(h); }, "not compared"}},
    {"an old attempt writes after a newer one",
     {[](History& h) { nth<RecordKept>(h, 34).attempt = 1; }, "of attempt 1 is written after attempt 2"}},
    {"a step is left out",
     {[](History& h) { leaveOutSteps(h, [](const RecordKept& r) { return r.step == 12; }); },
      "step 13 follows step 11"}},
    {"a step is done twice",
     {[](History& h) { nth<RecordKept>(h, 12).step = 12; }, "step 12 follows step 12"}},
    {"steps are missing before an attempt",
     {[](History& h) { leaveOutSteps(h, [](const RecordKept& r) { return r.attempt == 1 && r.step > 17; }); },
      "steps 18 to 20 are missing before attempt 2"}},
    {"an attempt begins before the newest checkpoint",
     {[](History& h) {
          nth<CheckpointSeen>(h, 1).step = 22;
          nth<CheckpointSeen>(h, 2).step = 32;
      },
      "attempt 2 begins at step 21, but a checkpoint of step 22 was there"}},
    {"the loss is another one",
     {[](History& h) { nth<RecordKept>(h, 28).loss *= 1 + 2 * kLossTolerance; }, "step 24: loss"}},
    {"the undisturbed run is too short",
     {[](History& h) { h.pop_back(); }, "step 30 has nothing to be compared with"}},
    {"the epoch falls", {[](History& h) { nth<Looked>(h, 4).epoch = 1; }, "falls from 2 to 1"}},
    {"an attempt that the epoch does not know",
     {[](History& h) { nth<RecordKept>(h, 36).attempt = 3; }, "of attempt 3 although the epoch is 2"}},
    {"old ranks go on",
     {[](History& h) {
          h.push_back({40 + kOldRanksMs + 1, Looked{2, 2, "running", {{2}, {1}}}});
      },
      "host 1 still has ranks of attempt 1"}},
    {"a checkpoint is not whole",
     {[](History& h) { nth<CheckpointSeen>(h, 1).damage = "too short"; }, "is not whole: too short"}},
    {"the latest checkpoint goes back",
     {[](History& h) { nth<CheckpointSeen>(h, 2).step = 10; }, "goes back from step 20 to 10"}},
    {"the run is not stopped",
     {[](History& h) { nth<Ended>(h, 0).state = "failed"; }, "its state is failed"}},
    {"a host is forgotten",
     {[](History& h) {
          std::erase_if(h, [](const Entry& e) {
              const auto* end = std::get_if<HostAtEnd>(&e.what);
              return end && end->host == 1;
          });
      },
      "not every host"}},
    {"a process is left",
     {[](History& h) { nth<HostAtEnd>(h, 1).processes = 1; }, "1 processes are left on host 1"}},
    {"a file is left",
     {[](History& h) { nth<HostAtEnd>(h, 0).files = {"/tmp/x"}; }, "/tmp/x is left on host 0"}},
};

} // namespace

/// What a soak is judged by can tell a sound history from one with a flaw.
class TestSoakHistory : public QObject {
    Q_OBJECT

private slots:
    void findsNothingInASoundHistory()
    {
        QCOMPARE(complaintsAbout(soundHistory()), std::vector<std::string>());
    }

    void allowsWhatRoundingDoes()
    {
        History history = soundHistory();
        nth<RecordKept>(history, 28).loss *= 1 + 1e-14;
        QCOMPARE(complaintsAbout(history), std::vector<std::string>());
        QVERIFY(largestLossDifference(history) > 0);
        QCOMPARE(largestLossDifference(soundHistory()), 0.0);
    }

    void findsEachFlaw_data()
    {
        QTest::addColumn<QByteArray>("flaw");
        for (const auto& [name, flaw] : kFlaws)
            QTest::addRow("%s", name.constData()) << name;
    }
    void findsEachFlaw()
    {
        QFETCH(QByteArray, flaw);
        const auto& [spoil, says] = kFlaws.at(flaw);
        History history = soundHistory();
        spoil(history);
        QByteArray said;
        for (const std::string& complaint : complaintsAbout(history))
            said += complaint + '\n';
        QVERIFY2(said.contains(says), said);
    }

    void aHistoryComesBackFromItsFile()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("history").toStdString();
        {
            HistoryFile file(path);
            for (const Entry& entry : soundHistory())
                file.add(entry.atMs, entry.what);
            QVERIFY(file.ok());
        }
        const auto history = readHistory(path);
        QVERIFY(history.ok());
        QCOMPARE(history->size(), soundHistory().size());
        QCOMPARE(complaintsAbout(*history), std::vector<std::string>());
        History copy = *history;
        QCOMPARE(nth<ReferenceStep>(copy, 6).loss, lossAt(7)); // to the last bit
        QCOMPARE(nth<Looked>(copy, 3).ranks, (std::vector<std::vector<std::uint32_t>>{{}, {1}}));
    }

    void aTornHistoryIsRefused()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("history"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"at_ms\": 0, \"began\": {\"seed\": 1, \"hosts\": 4}}\n{\"at_ms\": 1, \"ended");
        file.close();
        const auto history = readHistory(file.fileName().toStdString());
        QVERIFY(!history.ok());
        QVERIFY(history.error().message.find("line 2") != std::string::npos);
    }

    void aSeedGivesThePlanAgain()
    {
        QCOMPARE(planFaults(7, 60'000, 4), planFaults(7, 60'000, 4));
        QVERIFY(planFaults(7, 60'000, 4) != planFaults(8, 60'000, 4));
    }

    void aPlanHasEveryKindAndKeepsItsTime()
    {
        constexpr Moment kLength = 600'000;
        const auto plan = planFaults(3, kLength, 4);
        std::array<int, kFaultKinds> counts{};
        Moment before = 0;
        for (const PlannedFault& fault : plan) {
            ++counts[std::size_t(fault.kind)];
            QVERIFY(fault.atMs > before && fault.atMs + fault.lastsMs <= kLength);
            QVERIFY(fault.host >= 0 && fault.host <= 4);
            before = fault.atMs;
        }
        QVERIFY(std::ranges::all_of(counts, [](int count) { return count >= 5; }));
    }
};

QTEST_APPLESS_MAIN(TestSoakHistory)
#include "tst_soak_history.moc"
