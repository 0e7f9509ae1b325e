#include <csignal>
#include <filesystem>
#include <numeric>
#include <random>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "tests/support/checkpoint/small_checkpoint.h"
#include "tests/support/patience.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr int kKills = 50;
constexpr std::size_t kValues = 200'000;
constexpr const char* kTensor = "model/values";

std::vector<double> valuesOf(std::int64_t step)
{
    std::vector<double> values(kValues);
    std::iota(values.begin(), values.end(), double(step));
    return values;
}

Status save(const fs::path& folder, std::int64_t step)
{
    const std::vector<double> values = valuesOf(step);
    const CheckpointWriter writer(folder, Step{step});
    TRAINYARD_TRY_STATUS(writer.begin());
    const std::vector<std::int64_t> shape{std::int64_t(kValues)};
    TRAINYARD_TRY_STATUS(writer.writeShard(
        0, 1, {{{kTensor, ElementType::F64, shape, std::as_bytes(std::span(values))}, shape, {0}}}));
    TrainingPosition position;
    position.step = Step{step};
    return writer.publish(1, position, {2, 10});
}

Result<std::int64_t> latestStep(const fs::path& folder)
{
    TRAINYARD_TRY(const auto latest, startingCheckpoint(folder));
    if (!latest)
        return std::int64_t(0);
    TRAINYARD_TRY(auto reader, CheckpointReader::open(*latest));
    const std::int64_t step = reader.manifest().position.step.value;
    std::vector<double> values(kValues);
    TRAINYARD_TRY_STATUS(reader.read(kTensor, std::as_writable_bytes(std::span(values))));
    if (values != valuesOf(step))
        return failed("the values are not those of step " + std::to_string(step));
    return step;
}

/// What `latest` names, whole or not: while somebody saves, an older one may be removed as it is read.
std::int64_t namedStep(const fs::path& folder)
{
    const auto latest = startingCheckpoint(folder);
    const std::string name = latest.ok() && *latest ? (*latest)->filename().string() : "step-0";
    return std::stoll(name.substr(std::string("step-").size()));
}

/// Saves one checkpoint after the other, from the one after the latest on, until it is killed.
int saveForEver(const fs::path& folder)
{
    auto step = latestStep(folder);
    for (std::int64_t next = step.ok() ? *step + 1 : 0; next > 0; ++next) {
        if (!save(folder, next).ok())
            return 1;
    }
    return 1;
}

bool holdsUnfinished(const fs::path& checkpoints)
{
    return std::any_of(fs::directory_iterator(checkpoints), fs::directory_iterator(),
                       [](const auto& entry) { return entry.path().extension() == ".partial"; });
}

} // namespace

/// A process that saves without end is killed at random moments.
class TestKilledWhileSaving : public QObject {
    Q_OBJECT

private slots:
    void leavesAlwaysACheckpointThatLoads()
    {
        const QTemporaryDir folder;
        const fs::path checkpoints = folder.path().toStdString();
        std::minstd_rand random(1);
        std::int64_t before = 0;
        int interrupted = 0; ///< kills in the midst of a checkpoint
        int kills = 0;
        for (; kills < kKills || interrupted <= kKills / 10; ++kills) {
            QProcess saver;
            saver.start(QCoreApplication::applicationFilePath(), {"--save-for-ever", folder.path()});
            QVERIFY(saver.waitForStarted(kPatienceMs));
            AWAIT(namedStep(checkpoints) > before);
            QTest::qSleep(int(random() % 40));
            QCOMPARE(saver.state(), QProcess::Running);
            ::kill(pid_t(saver.processId()), SIGKILL);
            QVERIFY(saver.waitForFinished(kPatienceMs));
            interrupted += holdsUnfinished(checkpoints) ? 1 : 0;
            const auto step = latestStep(checkpoints);
            QVERIFY2(step.ok(), step.ok() ? "" : step.error().text().c_str());
            QVERIFY(*step > before);
            before = *step;
        }
        qInfo("%d kills, %d of them within a checkpoint; %lld were saved", kills, interrupted,
              qlonglong(before));
        QVERIFY(save(checkpoints, before + 1).ok()); // and the remains go
        QVERIFY(!holdsUnfinished(checkpoints));
    }
};

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && std::string(argv[1]) == "--save-for-ever")
        return saveForEver(argv[2]);
    TestKilledWhileSaving test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_killed_while_saving.moc"
