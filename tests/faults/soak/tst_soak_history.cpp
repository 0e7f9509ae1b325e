#include <map>

#include <QTemporaryDir>
#include <QTest>

#include "tests/faults/soak/fault_plan.h"
#include "tests/faults/soak/history_check.h"

using namespace trainyard::soak;

namespace {

constexpr int kHosts = 2;
constexpr int kKeepLast = 2;

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

std::string nameOfStep(int step)
{
    return "step-0000000" + std::to_string(step);
}

/// A folder in which all is right, and the checkpoints of these steps are whole, newest first.
FolderSeen folderOf(const std::vector<int>& steps)
{
    FolderSeen folder;
    for (const int step : steps)
        folder.checkpoints.push_back({nameOfStep(step), "whole", {}});
    folder.latest = folder.recorded = nameOfStep(steps.front());
    return folder;
}

/// What the nemesis makes of it.
FolderSeen harmed(FolderSeen folder)
{
    folder.byNemesis = true;
    return folder;
}

/// Two attempts over two hosts: the first one makes 25 steps and dies behind the checkpoint of step 20, the
/// second one makes 30.
History soundHistory()
{
    History history{{0, Began{7, kHosts, kKeepLast}},
                    {10, FolderSeen{}},
                    {10, Looked{1, 1, "running", {{1}, {1}}}},
                    {20, folderOf({10})},
                    {20, Looked{1, 1, "running", {{1}, {1}}}},
                    {30, folderOf({20, 10})},
                    {30, Looked{1, 1, "running", {{1}, {1}}}},
                    {35, Injected{"worker killed", 1, 0, "pid 4711"}},
                    {40, Looked{2, 1, "starting", {{}, {1}}}},
                    {50, Looked{2, 2, "running", {{2}, {2}}}},
                    {60, folderOf({30, 20})},
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

/// The same two attempts, but a hand stands behind the second one: what it does to the folder at 36 ms is
/// seen at 37 ms, before the epoch rises; then the second attempt begins behind step `from`.
History disturbedHistory(const FolderSeen& found, int from, const FolderSeen& inTheEnd)
{
    History history = soundHistory();
    const auto killed = std::ranges::find_if(
        history, [](const Entry& entry) { return std::holds_alternative<Injected>(entry.what); });
    history.insert(killed + 1, {{37, harmed(found)}, {37, Looked{1, 1, "running", {{}, {1}}}}});
    nth<FolderSeen>(history, 4) = inTheEnd;
    std::erase_if(history, [](const Entry& entry) {
        const auto* record = std::get_if<RecordKept>(&entry.what);
        return record && record->stream == "steps" && record->attempt == 2;
    });
    const auto behind = std::ranges::find_if(
        history, [](const Entry& entry) { return std::holds_alternative<StreamCompared>(entry.what); });
    std::vector<Entry> steps;
    std::uint64_t sequence = 25;
    for (std::int64_t step = from + 1; step <= 30; ++step)
        steps.push_back({70, RecordKept{"steps", 2, ++sequence, step, lossAt(step), {}}});
    history.insert(behind, steps.begin(), steps.end());
    return history;
}

FolderSeen with(FolderSeen folder, const CheckpointFound& another)
{
    folder.checkpoints.insert(folder.checkpoints.begin(), another);
    return folder;
}

/// As folderOf(), but the newest one is not whole.
FolderSeen withNewest(const std::string& state, const std::vector<int>& steps)
{
    FolderSeen folder = folderOf(steps);
    folder.checkpoints.front().state = state;
    folder.checkpoints.front().reason = "for a test";
    return folder;
}

FolderSeen naming(const std::string& latest, FolderSeen folder)
{
    folder.latest = latest;
    return folder;
}

FolderSeen hidden(FolderSeen folder)
{
    folder.trouble = "latest: No such device or address";
    return folder;
}

const CheckpointFound kDamaged20{nameOfStep(20) + ".damaged", "damaged", "shard is too short"};
const CheckpointFound kLeft20{nameOfStep(20) + ".line-1", "whole", {}};

/// Adds to a history of which the second attempt is the last: somebody asks for another one at 38 ms.
History resumed(History history, const std::string& trouble)
{
    const auto next = std::ranges::find_if(history, [](const Entry& entry) { return entry.atMs >= 38; });
    history.insert(next, {38, Resumed{2, trouble}});
    return history;
}

/// A start is refused at 38 ms, because `latest` cannot be read; then it can.
History hiddenAndShown()
{
    History history = disturbedHistory(hidden(folderOf({20, 10})), 20, folderOf({30, 20}));
    history = resumed(history, "the checkpoints of the run cannot be read");
    const auto next = std::ranges::find_if(history, [](const Entry& entry) { return entry.atMs > 38; });
    history.insert(next, {39, harmed(folderOf({20, 10}))});
    return history;
}

/// The newest checkpoint is damaged in the very moment in which the run is about to remove an older one for
/// its sake.
History removedBehindHarm()
{
    History history =
        disturbedHistory(withNewest("damaged", {20, 15, 10}), 15, with(folderOf({30, 15}), kDamaged20));
    nth<FolderSeen>(history, 2) = folderOf({20, 15, 10});
    const auto next = std::ranges::find_if(history, [](const Entry& entry) { return entry.atMs > 37; });
    history.insert(next, {38, withNewest("damaged", {20, 15})});
    return history;
}

/// What happens to checkpoints, and is right.
const std::map<QByteArray, History> kSoundRecoveries{
    {"the newest one is damaged",
     disturbedHistory(withNewest("damaged", {20, 10}), 10, with(folderOf({30, 20}), kDamaged20))},
    {"a bit of the newest one is wrong",
     disturbedHistory(withNewest("wrong bytes", {20, 10}), 10, with(folderOf({30, 20}), kDamaged20))},
    {"latest is missing", disturbedHistory(naming({}, folderOf({20, 10})), 20, folderOf({30, 20}))},
    {"latest is garbage", disturbedHistory(naming("\x7f ..", folderOf({20, 10})), 20, folderOf({30, 20}))},
    {"somebody goes back",
     disturbedHistory(naming(nameOfStep(10), folderOf({20, 10})), 10, with(folderOf({30, 20}), kLeft20))},
    {"somebody goes back to another line",
     disturbedHistory(naming(kLeft20.name, with(folderOf({10}), kLeft20)), 20, folderOf({30, 20}))},
    {"a start is refused while latest cannot be read", hiddenAndShown()},
    {"a checkpoint is removed that was given up", removedBehindHarm()},
    {"a start fails for another reason", resumed(soundHistory(), "the disk is full")},
};

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
          h = disturbedHistory(folderOf({20, 10}), 10, folderOf({30, 20}));
      },
      "attempt 2 begins at step 11, but the checkpoint of step 20 was right"}},
    {"an attempt begins from nothing beside a checkpoint",
     {[](History& h) {
          h = disturbedHistory(naming({}, folderOf({20, 10})), 0, folderOf({30, 20}));
      },
      "attempt 2 begins at step 1, but the checkpoint of step 20 was right"}},
    {"an attempt begins with a damaged checkpoint",
     {[](History& h) {
          h = disturbedHistory(withNewest("damaged", {20, 10}), 20, folderOf({30, 10}));
      },
      "attempt 2 begins at step 21, but the checkpoint of step 10 was right"}},
    {"an attempt begins with a checkpoint of wrong bytes",
     {[](History& h) {
          h = disturbedHistory(withNewest("wrong bytes", {20, 10}), 20, folderOf({30, 10}));
      },
      "attempt 2 begins at step 21, but the checkpoint of step 10 was right"}},
    {"an attempt does not go back",
     {[](History& h) {
          h = disturbedHistory(naming(nameOfStep(10), folderOf({20, 10})), 20, folderOf({30, 20}));
      },
      "attempt 2 begins at step 21, but the checkpoint of step 10 was right"}},
    {"an attempt does not go back to another line",
     {[](History& h) {
          h = disturbedHistory(naming(kLeft20.name, with(folderOf({10}), kLeft20)), 10, folderOf({30, 20}));
      },
      "attempt 2 begins at step 11, but the checkpoint of step 20 was right"}},
    {"an attempt begins though the folder cannot be read",
     {[](History& h) {
          h = disturbedHistory(hidden(folderOf({20, 10})), 20, folderOf({30, 20}));
      },
      "attempt 2 begins at step 21, but no start was right: latest: No such device"}},
    {"an attempt passes by a checkpoint that cannot be read",
     {[](History& h) {
          h = disturbedHistory(withNewest("unreadable", {20, 10}), 10, folderOf({30, 10}));
      },
      "attempt 2 begins at step 11, but no start was right: step-000000020: for a test"}},
    {"an attempt begins though no checkpoint is complete",
     {[](History& h) { h = disturbedHistory(withNewest("damaged", {20}), 0, folderOf({30})); },
      "attempt 2 begins at step 1, but no start was right: no checkpoint is complete"}},
    {"a resume begins though the folder cannot be read",
     {[](History& h) {
          h = resumed(disturbedHistory(hidden(folderOf({20, 10})), 20, folderOf({30, 20})), {});
      },
      "attempt 2 is started, but no start was right"}},
    {"a resume is refused for nothing",
     {[](History& h) { h = resumed(h, "no checkpoint is complete"); },
      "attempt 2 is refused, but the checkpoint of step 20 was right: no checkpoint is complete"}},
    {"a restart is refused for nothing",
     {[](History& h) {
          nth<RecordKept>(h, 36).text = "failed lost; attempt 2 did not start: latest cannot be read";
      },
      "cannot be read\", but the checkpoint of step 20 was right"}},
    {"a complete checkpoint is lost",
     {[](History& h) { nth<FolderSeen>(h, 3) = folderOf({30}); },
      "the complete checkpoint of step 20 is lost"}},
    {"a checkpoint is removed that counts again",
     {[](History& h) {
          h = removedBehindHarm();
          nth<FolderSeen>(h, 2) = folderOf({20, 15});
          nth<FolderSeen>(h, 3) = harmed(withNewest("damaged", {20, 15}));
          nth<FolderSeen>(h, 4) = withNewest("damaged", {20});
      },
      "the complete checkpoint of step 15 is lost"}},
    {"a checkpoint is removed file by file",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = folderOf({30, 25, 20});
          nth<FolderSeen>(h, 3).checkpoints.back().state = "damaged";
      },
      "step-000000020 is not whole any more"}},
    {"the run damages a checkpoint",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = withNewest("damaged", {20, 10});
      },
      "the complete checkpoint of step 20 is lost"}},
    {"a checkpoint of another line is removed",
     {[](History& h) {
          nth<FolderSeen>(h, 2) = with(folderOf({20, 10}), {kLeft20.name + "0", "whole", {}});
      },
      "the complete checkpoint of step 20 is lost"}},
    {"a complete checkpoint is set aside",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = with(folderOf({30, 20}), {kDamaged20.name, "whole", {}});
      },
      ".damaged was set aside, but it is whole"}},
    {"a checkpoint that cannot be read is set aside",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = with(folderOf({30, 20}), {kDamaged20.name, "unreadable", {}});
      },
      ".damaged was set aside, but it is unreadable"}},
    {"a line is left that nobody leaves",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = with(folderOf({30, 20}), kLeft20);
      },
      ".line-1 is left, but nobody went back"}},
    {"the run names what is not there",
     {[](History& h) {
          nth<FolderSeen>(h, 2) = naming(nameOfStep(30), folderOf({20, 10}));
      },
      "wrote \"step-000000030\" into `latest`, which is not there"}},
    {"the run names what is not whole",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = withNewest("damaged", {30, 20});
      },
      "into `latest`, which is damaged"}},
    {"the last checkpoint is not named",
     {[](History& h) {
          nth<FolderSeen>(h, 3) = naming(nameOfStep(20), folderOf({30, 20}));
      },
      "in the end `latest` names \"step-000000020\""}},
    {"a temporary folder is left",
     {[](History& h) { nth<FolderSeen>(h, 3).leftovers = {".step-000000001.partial"}; },
      ".step-000000001.partial is left among the checkpoints"}},
    {"nobody looked at the checkpoints", {[](History& h) { removeAll<FolderSeen>(h); }, "not looked at"}},
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

    void findsNothingInASoundRecovery_data()
    {
        QTest::addColumn<QByteArray>("recovery");
        for (const auto& [name, history] : kSoundRecoveries)
            QTest::addRow("%s", name.constData()) << name;
    }
    void findsNothingInASoundRecovery()
    {
        QFETCH(QByteArray, recovery);
        QCOMPARE(complaintsAbout(kSoundRecoveries.at(recovery)), std::vector<std::string>());
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
        file.write("{\"at_ms\": 0, \"began\": {\"seed\": 1, \"hosts\": 4, \"keepLast\": 3}}\n{\"at_ms\": 1, "
                   "\"ended");
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
            QVERIFY(fault.atMs >= before && fault.atMs + fault.lastsMs <= kLength);
            QVERIFY(fault.host >= 0 && fault.host <= 4);
            before = fault.atMs;
        }
        QVERIFY(std::ranges::all_of(counts, [](int count) { return count >= 4; }));
    }

    void aRestartComesBehindEachFaultOfCheckpoints()
    {
        const auto plan = planFaults(3, 600'000, 4);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            if (!isOfCheckpoints(plan[i].kind))
                continue;
            QVERIFY(i + 1 < plan.size());
            QCOMPARE(plan[i + 1].atMs, plan[i].atMs);
            QVERIFY(plan[i + 1].kind == FaultKind::KillWorker || plan[i + 1].kind == FaultKind::LoseNode);
        }
    }

    void tellsWhatWasDone()
    {
        History history = soundHistory();
        add(history, 99, Healed{"worker killed", 1});
        QCOMPARE(journalOf(history), (std::vector<std::string>{"    0.0 s  host 1: worker killed: pid 4711",
                                                               "    0.1 s  host 1: worker killed no more"}));
        QCOMPARE(countsOf(history), std::string("worker killed 1"));
    }
};

QTEST_APPLESS_MAIN(TestSoakHistory)
#include "tst_soak_history.moc"
