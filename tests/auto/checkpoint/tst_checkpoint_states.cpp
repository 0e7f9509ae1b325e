// Every state that a folder of checkpoints can be in when a run starts, and what a start makes of it. The
// expected answer is worked out here from the state itself, by the rule in engine/checkpoint/FORMAT.md.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "tests/support/checkpoint/folder_state.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;                               // the mode of a file means nothing to root
constexpr std::array<std::int64_t, 3> kSteps{500, 1000, 1500}; // as of a FolderState

void makeCheckpoints(const fs::path& folder, const FolderState& state)
{
    if (state.twoLines) {
        for (const std::int64_t step : kSteps)
            QVERIFY(publishSmallCheckpoint(folder, step, 2).ok());
        QVERIFY(goBackTo(folder, kSteps[0]).ok());
        QVERIFY(prepareStart(folder, {}).ok());
    }
    for (std::size_t i = state.twoLines ? 1 : 0; i < kSteps.size(); ++i) {
        const auto latestBefore = readFile(folder / "latest");
        const auto lineBefore = readFile(folder / "line.json");
        QVERIFY(publishSmallCheckpoint(folder, kSteps[i], 2).ok());
        if (i + 1 == kSteps.size() && state.latest == Latest::Behind) {
            std::ofstream(folder / "latest") << *latestBefore;
            std::ofstream(folder / "line.json") << *lineBefore;
        }
    }
}

FolderState stateOf(Latest latest, bool leftovers, bool twoLines)
{
    FolderState state;
    state.latest = latest;
    state.leftovers = leftovers;
    state.twoLines = twoLines;
    return state;
}

/// Whatever it is called now: the manifests of a folder, by their inodes.
std::set<ino_t> manifestsIn(const fs::path& folder)
{
    std::set<ino_t> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        struct stat info {};
        if (::stat((entry.path() / "manifest.json").c_str(), &info) == 0)
            found.insert(info.st_ino);
    }
    return found;
}

/// As ranks do it: a hash that is wrong shows only while the checkpoint is loaded.
Result<StartPoint> startAsRanksDo(const fs::path& folder)
{
    for (;;) {
        TRAINYARD_TRY(const StartPoint start, prepareStart(folder, {}));
        if (!start.checkpoint ||
            verifyContent(*start.checkpoint, [] { return true; }).state == CheckpointState::Whole)
            return start;
        TRAINYARD_TRY([[maybe_unused]] const CheckpointName aside, setAside(*start.checkpoint, {}));
    }
}

std::string problemAfterStart(const fs::path& folder, const FolderState& state,
                              const Result<StartPoint>& start)
{
    const auto expected = state.startingStep();
    if (!start.ok())
        return expected                                   ? "refused: " + start.error().text()
               : start.error().kind != ErrorKind::Refused ? "another kind of error: " + start.error().text()
                                                          : std::string();
    if (!expected)
        return fmt::format("started from step {}, though it should be refused", start->step);
    if (start->step != *expected)
        return fmt::format("started from step {}, not {}", start->step, *expected);
    if (readFile(folder / "latest").value() != CheckpointName{Step{*expected}}.text() + "\n")
        return "`latest` does not name the checkpoint that was started from";
    return {};
}

/// The newest one of keep_last 1 is published, and nothing is lost but what keep_last gives up.
std::string problemAfterPublication(const fs::path& folder, const FolderState& state, std::set<ino_t> before)
{
    for (const std::int64_t step : kSteps) {
        struct stat info {};
        const fs::path manifest = checkpointOf(folder, step) / "manifest.json";
        if (::stat(manifest.c_str(), &info) == 0 &&
            examineIndex(manifest.parent_path()).state == CheckpointState::Whole)
            before.erase(info.st_ino); // keep_last gives it up
    }
    if (const Status published = publishSmallCheckpoint(folder, 2000, 2, {.last = 1}); !published.ok())
        return "cannot publish: " + published.error().text();
    const auto after = startAsRanksDo(folder);
    if (!after.ok() || after->step != 2000)
        return "the checkpoint that was published is not started from";
    if (!std::ranges::includes(manifestsIn(folder), before))
        return "something was deleted that keep_last does not give up";
    return state.leftovers && fs::exists(folder / ".step-000002000.partial") ? "leftovers are still there"
                                                                             : std::string();
}

} // namespace

class TestCheckpointStates : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (::geteuid() == 0)
            QCOMPARE(::seteuid(kNobody), 0);
        char pattern[] = "/dev/shm/tst_checkpoint_states.XXXXXX";
        QVERIFY(::mkdtemp(pattern) != nullptr);
        m_root = pattern;
    }

    void cleanupTestCase()
    {
        std::error_code ignored;
        for (const auto& entry : fs::recursive_directory_iterator(m_root, ignored))
            ::chmod(entry.path().c_str(), 0700);
        fs::remove_all(m_root, ignored);
        if (::getuid() == 0)
            QCOMPARE(::seteuid(0), 0);
    }

    void everyStateStartsFromTheNewestWholeCheckpoint()
    {
        const auto began = std::chrono::steady_clock::now();
        int tried = 0;
        for (const bool twoLines : {false, true}) {
            for (const Latest latest : kLatest) {
                makeTemplate(stateOf(latest, false, twoLines));
                for (const bool leftovers : {false, true})
                    tried += tryAllHarms(stateOf(latest, leftovers, twoLines));
                if (QTest::currentTestFailed())
                    return;
            }
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        qInfo("%d states in %.1f s", tried, took.count());
        QCOMPARE(tried, 7 * 7 * 7 * 7 * 2 * 2);
    }

    void anUnreadableFolderStopsTheStart()
    {
        const fs::path folder = m_root / "locked";
        QVERIFY(publishSmallCheckpoint(folder, 500).ok());
        ::chmod(folder.c_str(), 0);
        const auto start = prepareStart(folder, {});
        ::chmod(folder.c_str(), 0700);
        QVERIFY(!start.ok());
        QCOMPARE(start.error().kind, ErrorKind::Refused);
        QVERIFY2(start.error().message.find("Permission denied") != std::string::npos,
                 start.error().message.c_str());
        QCOMPARE(prepareStart(folder, {})->step, std::int64_t{500});
    }

    void startsAtStepZeroOnlyWithoutCheckpointsOrWhenAsked()
    {
        const fs::path folder = m_root / "zero";
        QCOMPARE(prepareStart(folder, {})->step, std::int64_t{0});
        for (const std::int64_t step : kSteps)
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        QVERIFY(goBackTo(folder, 0).ok());
        const auto start = prepareStart(folder, {});
        QVERIFY(start.ok());
        QVERIFY(!start->checkpoint);
        QVERIFY(!fs::exists(folder / "latest"));
        QCOMPARE(prepareStart(folder, {})->step, std::int64_t{0}); // the next attempt too
        QCOMPARE(manifestsIn(folder).size(), kSteps.size());
    }

    void comesBackToALineThatWasLeft()
    {
        const fs::path folder = m_root / "back";
        for (const std::int64_t step : kSteps)
            QVERIFY(publishSmallCheckpoint(folder, step).ok());
        QVERIFY(goBackTo(folder, 500).ok());
        QCOMPARE(prepareStart(folder, {})->step, std::int64_t{500});
        QVERIFY(publishSmallCheckpoint(folder, 700).ok());
        QVERIFY(goBackTo(folder, 1500).ok()); // of the first line
        QCOMPARE(prepareStart(folder, {})->step, std::int64_t{1500});
        QVERIFY(fs::exists(checkpointOf(folder, 1000))); // it leads to step 1500
        QVERIFY(!fs::exists(checkpointOf(folder, 700))); // it does not
        QVERIFY(fs::exists(folder / "step-000000700.line-2"));
    }

    /// A crash came between the publication of the newest one and `latest`.
    void goesBackToWhatLatestNamesAlready()
    {
        const fs::path folder = m_root / "named";
        FolderState state;
        state.latest = Latest::Behind;
        makeCheckpoints(folder, state);
        const std::int64_t named = kSteps[kSteps.size() - 2];
        QCOMPARE(readFile(folder / "latest").value(), checkpointOf(folder, named).filename().string() + "\n");
        QVERIFY(goBackTo(folder, named).ok());
        QCOMPARE(prepareStart(folder, {})->step, named);
        QCOMPARE(prepareStart(folder, {})->step, named);
        QVERIFY(!fs::exists(checkpointOf(folder, kSteps.back())));
        QCOMPARE(manifestsIn(folder).size(), kSteps.size());
    }

    void refusesToGoBackToWhatIsNotThere()
    {
        const fs::path folder = m_root / "absent";
        QVERIFY(publishSmallCheckpoint(folder, 500).ok());
        const Status gone = goBackTo(folder, 600);
        QCOMPARE(gone.error().kind, ErrorKind::Refused);
        QVERIFY2(gone.error().text().find("500") != std::string::npos, gone.error().text().c_str());
        QCOMPARE(readFile(folder / "latest").value(), std::string("step-000000500\n"));
    }

    void everyBitOfAManifestCounts()
    {
        const fs::path folder = m_root / "bits";
        QVERIFY(publishSmallCheckpoint(folder, 500).ok());
        const fs::path manifest = checkpointOf(folder, 500) / "manifest.json";
        const std::uintmax_t size = fs::file_size(manifest);
        for (std::uintmax_t at = 0; at < size; ++at) {
            flipBit(manifest, at);
            QVERIFY2(examineIndex(manifest.parent_path()).state == CheckpointState::Damaged,
                     fmt::format("byte {}", at).c_str());
            flipBit(manifest, at);
        }
        QVERIFY(examineIndex(manifest.parent_path()).state == CheckpointState::Whole);
    }

private:
    /// A whole folder, of which every harmed one is a copy.
    void makeTemplate(const FolderState& state)
    {
        fs::remove_all(m_root / "template");
        makeCheckpoints(m_root / "template", state);
        writeLatest(m_root / "template", state);
    }

    int tryAllHarms(FolderState state)
    {
        int tried = 0;
        for (const Harm oldest : kHarms) {
            for (const Harm middle : kHarms) {
                for (const Harm newest : kHarms) {
                    state.harms = {oldest, middle, newest};
                    const std::string problem = problemOf(state);
                    ++tried;
                    if (!problem.empty()) {
                        QTest::qFail((state.text() + ": " + problem).c_str(), __FILE__, __LINE__);
                        return tried;
                    }
                }
            }
        }
        return tried;
    }

    /// What is not harmed is linked: the template stays as it is.
    void copyTemplate(const fs::path& folder, const FolderState& state) const
    {
        using fs::copy_options;
        fs::copy(m_root / "template", folder, copy_options::recursive | copy_options::create_hard_links);
        for (const char* file : {"latest", "line.json"})
            takeApart(m_root / "template" / file, folder / file);
        for (std::size_t i = 0; i < kSteps.size(); ++i) {
            if (state.harms[i] == Harm::None)
                continue;
            const fs::path checkpoint = checkpointOf(folder, kSteps[i]);
            for (const auto& entry : fs::directory_iterator(checkpointOf(m_root / "template", kSteps[i])))
                takeApart(entry.path(), checkpoint / entry.path().filename());
            doHarm(checkpoint, state.harms[i]);
        }
    }

    static void takeApart(const fs::path& original, const fs::path& link)
    {
        if (fs::remove(link))
            fs::copy_file(original, link);
    }

    std::string problemOf(const FolderState& state)
    {
        const fs::path folder = m_root / "state";
        copyTemplate(folder, state);
        if (state.leftovers)
            fs::create_directory(folder / ".step-000002000.partial");
        const std::set<ino_t> before = manifestsIn(folder);
        const auto start = startAsRanksDo(folder);
        std::string problem = problemAfterStart(folder, state, start);
        if (problem.empty() && manifestsIn(folder) != before)
            problem = "a checkpoint was deleted by a start";
        if (problem.empty() && start.ok())
            problem = problemAfterPublication(folder, state, before);
        fs::remove_all(folder);
        return problem;
    }

    fs::path m_root;
};

QTEST_APPLESS_MAIN(TestCheckpointStates)
#include "tst_checkpoint_states.moc"
