// Every state that a folder of checkpoints can be in when a run starts, and what a start makes of it. The
// expected answer is worked out here from the state itself, by the rule in engine/checkpoint/FORMAT.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/records/fence.h"
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

constexpr int kHarmings = int(kHarms.size() * kHarms.size() * kHarms.size());
constexpr int kVariants = 2 * kHarmings; ///< of the states that share checkpoints and `latest`

FolderState variantOf(FolderState whole, int number)
{
    whole.leftovers = number >= kHarmings;
    for (Harm& harm : whole.harms) {
        harm = kHarms[std::size_t(number) % kHarms.size()];
        number /= int(kHarms.size());
    }
    return whole;
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
Result<StartPoint> startAsRanksDo(const fs::path& folder, const Fence& fence = {})
{
    for (;;) {
        TRAINYARD_TRY(const StartPoint start, prepareStart(folder, fence));
        if (!start.checkpoint ||
            verifyContent(*start.checkpoint, [] { return true; }).state == CheckpointState::Complete)
            return start;
        TRAINYARD_TRY([[maybe_unused]] const CheckpointName aside, setAside(*start.checkpoint, fence));
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

/// Of the present line, as keep_last counts them.
std::set<ino_t> givenUpByKeepLast(const fs::path& folder)
{
    std::set<ino_t> manifests;
    for (const std::int64_t step : kSteps) {
        struct stat info {};
        const fs::path manifest = checkpointOf(folder, step) / "manifest.json";
        if (::stat(manifest.c_str(), &info) == 0 &&
            examineIndex(manifest.parent_path()).state == CheckpointState::Complete)
            manifests.insert(info.st_ino);
    }
    return manifests;
}

/// What the user asks of a resume.
enum class GoingBack { None, OneStep, ToTheStart };
constexpr int kWaysBack = 3;

/// One folder in a state and a run's life with it: start, restart, an older attempt that an elastic restart
/// has left behind, going back, and a publication. The rule has to hold after each of them; problem() is
/// empty where it does.
class Life {
public:
    Life(fs::path folder, const FolderState& state, const fs::path& run)
        : m_folder(std::move(folder))
        , m_state(state)
        , m_older(run, 1)
        , m_newest(run, 2)
        , m_before(manifestsIn(m_folder))
    {
    }

    std::string problem(GoingBack way)
    {
        const auto start = startAsRanksDo(m_folder, m_newest);
        std::string problem = problemAfterStart(m_folder, m_state, start);
        m_step = start.ok() ? start->step : kRefused;
        if (problem.empty() && m_step != kRefused)
            problem = problemOfRestart();
        if (problem.empty())
            problem = problemOfOlderAttempt();
        if (problem.empty() && way != GoingBack::None)
            problem = problemOfGoingBack(way == GoingBack::OneStep ? olderStep() : 0);
        if (problem.empty())
            problem = problemOfDeletion();
        return problem.empty() && m_step != kRefused ? problemOfPublication() : problem;
    }

private:
    static constexpr std::int64_t kRefused = -1;

    std::string problemOfDeletion() const
    {
        return manifestsIn(m_folder) == m_before ? "" : "a checkpoint was deleted by a start";
    }

    /// Its ranks have ended before they published anything.
    std::string problemOfRestart() const
    {
        const auto again = startAsRanksDo(m_folder, m_newest);
        if (!again.ok() || again->step != m_step)
            return "a restart does not begin where the start did";
        return again->changes.empty() ? "" : "a restart changed the folder again: " + again->changes.front();
    }

    /// An elastic restart left hosts behind which cannot be reached, and their attempt is still at work.
    std::string problemOfOlderAttempt() const
    {
        const CheckpointWriter writer(m_folder, Step{2000}, m_older);
        const Status begun = writer.begin();
        writer.abandon();
        if (begun.ok() || begun.error().kind != ErrorKind::Refused)
            return "an attempt that an elastic restart has replaced may publish";
        if (prepareStart(m_folder, m_older).ok())
            return "an attempt that an elastic restart has replaced may start";
        return fs::exists(leftovers()) == m_state.leftovers ? "" : "it removed what was being written";
    }

    /// `resume --step`; where there is no whole one of that step, nothing may change.
    std::string problemOfGoingBack(std::int64_t step)
    {
        const bool mayGo =
            step == 0 || examineIndex(checkpointOf(m_folder, step)).state == CheckpointState::Complete;
        if (goBackTo(m_folder, step).ok() != mayGo)
            return fmt::format("went back to step {}, or did not, against the rule", step);
        const std::int64_t expected = mayGo ? newestWholeUpTo(step) : m_step;
        const auto start = startAsRanksDo(m_folder, m_newest);
        m_step = start.ok() ? start->step : kRefused;
        return m_step == expected
                   ? ""
                   : fmt::format("going back to step {} starts from step {}, not {}", step, m_step, expected);
    }

    std::int64_t olderStep() const { return m_step > kSteps.front() ? m_step - 500 : kSteps.front(); }

    std::int64_t newestWholeUpTo(std::int64_t step) const
    {
        if (step == 0)
            return 0;
        for (std::size_t i = kSteps.size(); i-- > 0;) {
            if (kSteps[i] <= step && m_state.harms[i] == Harm::Unreadable)
                return kRefused;
            if (kSteps[i] <= step && m_state.harms[i] == Harm::None)
                return kSteps[i];
        }
        return kRefused;
    }

    /// By a world of another size, at a step that checkpoints set aside or left may have too. keep_last 1
    /// removes what it gives up, and nothing else.
    std::string problemOfPublication()
    {
        for (const ino_t manifest : givenUpByKeepLast(m_folder))
            m_before.erase(manifest);
        const std::int64_t step = m_step + 500;
        if (const Status published = publishSmallCheckpoint(m_folder, step, 1, {.last = 1}, m_newest);
            !published.ok())
            return "cannot publish: " + published.error().text();
        const auto after = startAsRanksDo(m_folder, m_newest);
        if (!after.ok() || after->step != step)
            return "the checkpoint that was published is not started from";
        if (!std::ranges::includes(manifestsIn(m_folder), m_before))
            return "something was deleted that keep_last does not give up";
        return fs::exists(leftovers()) ? "leftovers are still there" : "";
    }

    fs::path leftovers() const { return m_folder / ".step-000002000.partial"; }

    fs::path m_folder;
    FolderState m_state;
    Fence m_older;
    Fence m_newest;
    std::set<ino_t> m_before;       ///< manifests that must not be lost
    std::int64_t m_step = kRefused; ///< that the newest start began with
};

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
        QVERIFY(fs::create_directory(m_root / "run"));
        QVERIFY(Fence(m_root / "run", 2).raise().ok());
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

    void everyStateStartsFromTheNewestCompleteCheckpoint()
    {
        const auto began = std::chrono::steady_clock::now();
        int tried = 0;
        for (const bool twoLines : {false, true}) {
            for (const Latest latest : kLatest) {
                FolderState whole;
                whole.latest = latest;
                whole.twoLines = twoLines;
                makeTemplate(whole);
                tried += tryVariants(whole);
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
        QVERIFY(examineIndex(manifest.parent_path()).state == CheckpointState::Complete);
    }

private:
    /// A whole folder, and of each of its checkpoints one with every harm: a state is made of links to them.
    void makeTemplate(const FolderState& state)
    {
        fs::remove_all(m_root / "template");
        fs::remove_all(m_root / "harmed");
        ++m_templates;
        makeCheckpoints(m_root / "template", state);
        writeLatest(m_root / "template", state);
        for (const std::int64_t step : kSteps) {
            for (const Harm harm : kHarms) {
                fs::create_directories(harmed(step, harm));
                fs::copy(checkpointOf(m_root / "template", step), harmed(step, harm));
                doHarm(harmed(step, harm), harm);
            }
        }
    }
    fs::path harmed(std::int64_t step, Harm harm) const
    {
        return m_root / "harmed" / fmt::format("{}-{}", step, int(harm));
    }

    /// In as many threads as there are processors; the number of states tried.
    int tryVariants(const FolderState& whole)
    {
        std::atomic<int> next = 0;
        const auto work = [&](unsigned worker) {
            for (int number = next++; number < kVariants; number = next++) {
                const FolderState state = variantOf(whole, number);
                if (const std::string problem = problemOf(state, number, worker); !problem.empty())
                    return state.text() + ": " + problem;
            }
            return std::string();
        };
        std::vector<std::future<std::string>> workers;
        for (unsigned worker = 0; worker < std::clamp(std::thread::hardware_concurrency(), 1u, 4u); ++worker)
            workers.push_back(std::async(std::launch::async, work, worker));
        for (auto& worker : workers) {
            if (const std::string problem = worker.get(); !problem.empty())
                QTest::qFail(problem.c_str(), __FILE__, __LINE__);
        }
        return kVariants;
    }

    std::string problemOf(const FolderState& state, int number, unsigned worker) const
    {
        const fs::path folder = m_root / fmt::format("state-{}", worker);
        linkState(folder, state);
        if (state.leftovers)
            fs::create_directory(folder / ".step-000002000.partial");
        // Each way of going back meets every combination of harms, with some `latest` and number of lines.
        const auto way = GoingBack((number + m_templates) % kWaysBack);
        const std::string problem = Life(folder, state, m_root / "run").problem(way);
        fs::remove_all(folder);
        return problem;
    }

    /// Checkpoints are never written in place, so the template stays as it is.
    void linkState(const fs::path& folder, const FolderState& state) const
    {
        fs::create_directory(folder);
        for (const auto& entry : fs::directory_iterator(m_root / "template")) {
            if (entry.is_directory())
                linkFiles(sourceOf(entry.path(), state), folder / entry.path().filename());
            else
                fs::copy_file(entry.path(), folder / entry.path().filename());
        }
    }

    fs::path sourceOf(const fs::path& checkpoint, const FolderState& state) const
    {
        for (std::size_t i = 0; i < kSteps.size(); ++i) {
            if (checkpoint.filename() == checkpointOf({}, kSteps[i]) && state.harms[i] != Harm::None)
                return harmed(kSteps[i], state.harms[i]);
        }
        return checkpoint;
    }

    static void linkFiles(const fs::path& from, const fs::path& to)
    {
        fs::create_directory(to);
        for (const auto& entry : fs::directory_iterator(from))
            fs::create_hard_link(entry.path(), to / entry.path().filename());
    }

    fs::path m_root;
    int m_templates = 0; ///< made so far
};

QTEST_APPLESS_MAIN(TestCheckpointStates)
#include "tst_checkpoint_states.moc"
