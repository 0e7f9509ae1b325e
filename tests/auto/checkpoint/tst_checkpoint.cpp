#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <filesystem>
#include <fstream>
#include <list>
#include <numeric>
#include <set>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "tests/auto/checkpoint/row_shares.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

// A scalar, an empty one, a long vector and a matrix: everything that rows can look like.
class Tensors {
public:
    explicit Tensors(float start)
    {
        add("model/scalar", {}, start);
        add("model/empty", {0, 3}, start);
        add("model/vector", {1001}, start + 1);
        add("model/matrix", {33, 17}, start + 2);
    }

    const std::vector<TensorBytes>& views() const { return m_views; }

private:
    void add(const std::string& name, std::vector<std::int64_t> shape, float start)
    {
        const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
        m_values.emplace_back(static_cast<std::size_t>(count));
        std::iota(m_values.back().begin(), m_values.back().end(), start);
        m_views.push_back(
            {name, ElementType::F32, std::move(shape), std::as_bytes(std::span(m_values.back()))});
    }

    std::list<std::vector<float>> m_values;
    std::vector<TensorBytes> m_views;
};

TrainingPosition positionAt(std::int64_t step)
{
    TrainingPosition position;
    position.step = Step{step};
    position.consumedSamples = static_cast<std::uint64_t>(step) * 32;
    position.spec.name = "some-run";
    position.spec.seed = 77;
    return position;
}

Status writeShards(const CheckpointWriter& writer, const Tensors& tensors, int shards)
{
    TRAINYARD_TRY_STATUS(writer.begin());
    for (int shard = 0; shard < shards; ++shard)
        TRAINYARD_TRY_STATUS(writer.writeShard(shard, shards, shareOf(tensors.views(), shard, shards)));
    return {};
}

Status save(const fs::path& folder, std::int64_t step, int shards = 1, const KeptCheckpoints& kept = {})
{
    const Tensors tensors(static_cast<float>(step));
    const CheckpointWriter writer(folder, Step{step});
    TRAINYARD_TRY_STATUS(writeShards(writer, tensors, shards));
    return writer.publish(shards, positionAt(step), kept);
}

// The error of loading the newest checkpoint and comparing it with what save() wrote; empty when all is well.
std::string loadProblem(const fs::path& folder, std::int64_t step)
{
    if (readFile(folder / "latest").value() != checkpointFolderName(Step{step}) + "\n")
        return "latest names another checkpoint";
    auto reader = CheckpointReader::open(folder / checkpointFolderName(Step{step}));
    if (!reader.ok())
        return reader.error().message;
    const Tensors tensors(static_cast<float>(step));
    for (const TensorBytes& tensor : tensors.views()) {
        std::vector<std::byte> bytes(tensor.bytes.size());
        const Status status = reader->read(tensor.name, bytes);
        if (!status.ok())
            return status.error().message;
        if (!std::ranges::equal(bytes, tensor.bytes))
            return tensor.name + " has other values";
    }
    return {};
}

/// A manifest ends with the hash of what stands before it.
std::string withItsHash(const std::string& manifest)
{
    const std::string before = ",\n \"xxh3\": \"";
    const std::string content = manifest.substr(0, manifest.rfind(before));
    return content + before + xxh3Hex(content) + "\"\n}\n";
}

std::set<std::string> namesIn(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

} // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

private slots:
    void aNewerAttemptFencesTheOlder()
    {
        QTemporaryDir run;
        const fs::path root(run.path().toStdString());
        const fs::path checkpoints = root / "checkpoints";
        const CheckpointWriter older(checkpoints, Step{8}, Fence(root, 1));
        const CheckpointWriter newer(checkpoints, Step{8}, Fence(root, 2));
        QVERIFY(writeShards(older, Tensors(1), 2).ok());
        QVERIFY(Fence(root, 2).raise().ok());
        const Status published = older.publish(2, positionAt(8), {});
        QVERIFY(!published.ok());
        QCOMPARE(published.error().kind, ErrorKind::Refused);
        QCOMPARE(published.error().message, std::string("attempt 1 of the run is fenced by attempt 2"));
        QVERIFY(!startingCheckpoint(checkpoints)->has_value());
        QVERIFY(writeShards(newer, Tensors(2), 2).ok());
        older.abandon(); // must not take away what the newer one wrote under the same name
        QVERIFY(!older.begin().ok());
        QVERIFY(newer.publish(2, positionAt(8), {}).ok());
        QVERIFY(startingCheckpoint(checkpoints)->has_value());
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void loadsWhatAnyNumberOfShardsSaved_data()
    {
        QTest::addColumn<int>("shards");
        for (const int shards : {1, 2, 3, 8, 50})
            QTest::addRow("%d shards", shards) << shards;
    }
    void loadsWhatAnyNumberOfShardsSaved()
    {
        QFETCH(int, shards);
        const Status saved = save(path(), 1200, shards);
        QVERIFY2(saved.ok(), saved.ok() ? "" : saved.error().text().c_str());
        QCOMPARE(loadProblem(path(), 1200), std::string());
    }

    void keepsThePosition()
    {
        QVERIFY(save(path(), 7).ok());
        const auto manifest = CheckpointManifest::load(path() / "step-000000007" / "manifest.json").value();
        QCOMPARE(manifest.position.step.value, std::int64_t(7));
        QCOMPARE(manifest.position.consumedSamples, std::uint64_t(224));
        QVERIFY(manifest.position.spec == positionAt(7).spec);
    }

    void interruptedAttemptsLeaveTheOldOne_data()
    {
        QTest::addColumn<int>("phases");
        QTest::addRow("after begin") << 0;
        QTest::addRow("after the first shard") << 1;
        QTest::addRow("after all shards") << 2;
    }
    void interruptedAttemptsLeaveTheOldOne()
    {
        QFETCH(int, phases);
        QVERIFY(save(path(), 1).ok());
        const Tensors tensors(2);
        const CheckpointWriter killed(path(), Step{2});
        QVERIFY(killed.begin().ok());
        for (int shard = 0; shard < phases; ++shard)
            QVERIFY(killed.writeShard(shard, 2, shareOf(tensors.views(), shard, 2)).ok());
        QCOMPARE(loadProblem(path(), 1), std::string());

        QVERIFY(save(path(), 3).ok()); // and the next one clears the remains
        QCOMPARE(namesIn(path()),
                 (std::set<std::string>{"latest", "line.json", "step-000000001", "step-000000003"}));
    }

    void aCheckpointOfTheSameStepTakesThePlaceOfTheOlderOne()
    {
        QVERIFY(save(path(), 1).ok());
        QVERIFY(save(path(), 2).ok());
        QVERIFY(save(path(), 2, 3).ok());
        QCOMPARE(loadProblem(path(), 2), std::string());
        QCOMPARE(namesIn(path()),
                 (std::set<std::string>{"latest", "line.json", "step-000000001", "step-000000002"}));
    }

    void keepsTheBestOne()
    {
        const auto saveWithBest = [this](std::int64_t step, std::int64_t bestStep) -> Status {
            const Tensors tensors(static_cast<float>(step));
            const CheckpointWriter writer(path(), Step{step});
            TrainingPosition position = positionAt(step);
            position.spec.evaluation.keepBest = true;
            position.evaluation = {step, bestStep, 2.5, step - bestStep};
            TRAINYARD_TRY_STATUS(writeShards(writer, tensors, 1));
            return writer.publish(1, position, {.last = 1});
        };
        for (const auto& [step, best] : {std::pair{1, 1}, {2, 2}, {3, 2}, {4, 2}})
            QVERIFY(saveWithBest(step, best).ok());
        QCOMPARE(namesIn(path()),
                 (std::set<std::string>{"best", "latest", "line.json", "step-000000002", "step-000000004"}));
        QCOMPARE(readFile(path() / "best").value(), std::string("step-000000002\n"));
        const auto manifest = CheckpointManifest::load(path() / "step-000000004" / "manifest.json");
        QVERIFY((manifest->position.evaluation == EvaluationState{4, 2, 2.5, 2}));
        QVERIFY(!manifest->position.isBest());
        QVERIFY(saveWithBest(5, 5).ok());
        QCOMPARE(namesIn(path()), (std::set<std::string>{"best", "latest", "line.json", "step-000000005"}));
    }

    void missingShardIsNotPublished()
    {
        QVERIFY(save(path(), 1).ok());
        const Tensors tensors(2);
        const CheckpointWriter writer(path(), Step{2});
        QVERIFY(writer.begin().ok());
        QVERIFY(writer.writeShard(0, 2, shareOf(tensors.views(), 0, 2)).ok());
        QVERIFY(!writer.publish(2, positionAt(2), {}).ok());
        writer.abandon();
        QCOMPARE(loadProblem(path(), 1), std::string());
        QCOMPARE(namesIn(path()), (std::set<std::string>{"latest", "line.json", "step-000000001"}));
    }

    void gapIsNotPublished()
    {
        const Tensors tensors(2);
        const CheckpointWriter writer(path(), Step{2});
        QVERIFY(writer.begin().ok());
        QVERIFY(
            writer.writeShard(0, 1, shareOf(tensors.views(), 0, 2)).ok()); // half of the tensors, as if all
        const Status status = writer.publish(1, positionAt(2), {});
        QVERIFY(!status.ok());
        QVERIFY2(status.error().message.find("model/vector") != std::string::npos,
                 status.error().message.c_str());
    }

    void flippedByteIsNamed()
    {
        QVERIFY(save(path(), 5, 2).ok());
        const fs::path shard = path() / "step-000000005" / "shard-0001-of-0002.safetensors";
        std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(-1, std::ios::end);
        const char last = static_cast<char>(file.get() ^ 0x10);
        file.seekp(-1, std::ios::end);
        file.put(last);
        file.close();
        const std::string problem = loadProblem(path(), 5);
        QVERIFY2(problem.find("model/matrix") != std::string::npos, problem.c_str());
        QVERIFY2(problem.find(shard.string()) != std::string::npos, problem.c_str());
    }

    void truncatedFileIsNamed()
    {
        QVERIFY(save(path(), 5).ok());
        const fs::path shard = path() / "step-000000005" / "shard-0000-of-0001.safetensors";
        fs::resize_file(shard, fs::file_size(shard) - 1);
        const std::string problem = loadProblem(path(), 5);
        QVERIFY2(problem.find(shard.string()) != std::string::npos, problem.c_str());
    }

    void keepsTheNewest()
    {
        for (const std::int64_t step : {1, 2, 10, 9})
            QVERIFY(save(path(), step, 1, {.last = 2}).ok());
        QCOMPARE(namesIn(path()),
                 (std::set<std::string>{"latest", "line.json", "step-000000009", "step-000000010"}));
    }

    void keepsThoseOfChosenStepsForGood()
    {
        for (std::int64_t step = 1; step <= 9; ++step)
            QVERIFY(save(path(), step, 1, {.last = 1, .every = 4}).ok());
        QCOMPARE(namesIn(path()), (std::set<std::string>{"latest", "line.json", "step-000000004",
                                                         "step-000000008", "step-000000009"}));
    }

    void nothingThereIsNoError() { QVERIFY(!startingCheckpoint(path()).value()); }

    void latestThatNamesACheckpointWhereNoneIsStopsTheStart()
    {
        for (const char* name : {"step-000000009\n", "../elsewhere"}) {
            QVERIFY(writeFileAtomically(path() / "latest", name).ok());
            QCOMPARE(startingCheckpoint(path()).error().kind, ErrorKind::Refused);
        }
    }

    void damagedManifestIsRefused_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addRow("version") << "\"trainyard_checkpoint\": 2"
                                 << "\"trainyard_checkpoint\": 3";
        QTest::addRow("path") << "\"file\": \"shard"
                              << "\"file\": \"../shard";
        QTest::addRow("type") << "\"F32\""
                              << "\"F33\"";
        QTest::addRow("gap") << "1001"
                             << "1002";
        QTest::addRow("json") << "{"
                              << "";
    }
    void damagedManifestIsRefused()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QVERIFY(save(path(), 5).ok());
        const fs::path manifest = path() / "step-000000005" / "manifest.json";
        QString text = QString::fromStdString(readFile(manifest).value());
        text.replace(text.indexOf(before), before.size(), after);
        QVERIFY(writeFileAtomically(manifest, text.toStdString()).ok());
        const auto damaged = CheckpointReader::open(manifest.parent_path());
        QCOMPARE(damaged.error().kind, ErrorKind::BadInput);
        QVERIFY(damaged.error().message.find(manifest.string()) != std::string::npos);
        // With a hash that fits, another program has meant it so: that is no damage.
        QVERIFY(writeFileAtomically(manifest, withItsHash(text.toStdString())).ok());
        const auto other = CheckpointReader::open(manifest.parent_path());
        QCOMPARE(other.error().kind, ErrorKind::Refused);
        QVERIFY(other.error().message.find(manifest.string()) != std::string::npos);
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
