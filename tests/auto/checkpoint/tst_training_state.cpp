#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include "engine/checkpoint/training_state.h"
#include "engine/nn/language_model.h"
#include "engine/optim/optimizer.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

ModelSpec smallModel()
{
    ModelSpec model;
    model.layers = 1;
    model.hidden = 16;
    model.heads = 2;
    model.intermediate = 32;
    model.vocabulary = 50;
    model.maxPositions = 8;
    return model;
}

// A model after one optimizer step on made-up gradients.
struct Trained {
    LanguageModel model;
    std::unique_ptr<Optimizer> optimizer;

    Trained(const ModelSpec& spec, ComputeType compute, std::uint64_t seed) : model(spec, compute)
    {
        model.parameters().initialize(seed, 0.02);
        optimizer = makeOptimizer(OptimizerSpec(), optimizedTensors(model.parameters()));
        model.parameters().flatGradients().copy_(model.parameters().flatMasters());
        optimizer->step(1e-3, 1.0);
    }
};

TrainingPosition positionOf(const ModelSpec& model)
{
    TrainingPosition position;
    position.step = Step{1};
    position.spec.model = model;
    return position;
}

} // namespace

class TestTrainingState : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void comesBackAsItWas_data()
    {
        QTest::addColumn<int>("compute");
        QTest::addRow("float64") << int(ComputeType::Float64);
        QTest::addRow("float32") << int(ComputeType::Float32);
        QTest::addRow("bfloat16") << int(ComputeType::BFloat16);
    }
    void comesBackAsItWas()
    {
        QFETCH(int, compute);
        Trained saved(smallModel(), ComputeType(compute), 1);
        const TrainingState state(saved.model.parameters(), saved.optimizer.get());
        QVERIFY(saveCheckpoint(path(), state, positionOf(smallModel()), {}).ok());

        Trained loaded(smallModel(), ComputeType(compute), 2);
        auto reader = CheckpointReader::open(startingCheckpoint(path()).value().value()).value();
        QVERIFY(TrainingState(loaded.model.parameters(), loaded.optimizer.get()).load(reader).ok());
        QVERIFY(loaded.model.parameters().flatMasters().equal(saved.model.parameters().flatMasters()));
        QCOMPARE(loaded.optimizer->steps(), std::int64_t(1));
        for (std::size_t i = 0; i < saved.optimizer->state().size(); ++i)
            QVERIFY(loaded.optimizer->state()[i].value.equal(saved.optimizer->state()[i].value));
        for (std::size_t i = 0; i < saved.model.parameters().parameters().size(); ++i)
            QVERIFY(loaded.model.parameters().parameters()[i].working.equal(
                saved.model.parameters().parameters()[i].working));
    }

    void refusesAnotherModelByName()
    {
        Trained saved(smallModel(), ComputeType::Float32, 1);
        QVERIFY(saveCheckpoint(path(), TrainingState(saved.model.parameters()), positionOf(smallModel()), {})
                    .ok());
        auto reader = CheckpointReader::open(path() / "step-000000001").value();

        ModelSpec wider = smallModel();
        wider.vocabulary = 51;
        LanguageModel other(wider, ComputeType::Float32);
        const Status status = TrainingState(other.parameters()).load(reader);
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        QVERIFY(status.error().message.find("word_embeddings") != std::string::npos);

        Trained withOptimizer(smallModel(), ComputeType::Float32, 1);
        const Status missing =
            TrainingState(withOptimizer.model.parameters(), withOptimizer.optimizer.get()).load(reader);
        QVERIFY(missing.error().message.find("optimizer/exp_avg/") != std::string::npos);
    }

private:
    fs::path path() const { return fs::path(m_folder->path().toStdString()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestTrainingState)
#include "tst_training_state.moc"
