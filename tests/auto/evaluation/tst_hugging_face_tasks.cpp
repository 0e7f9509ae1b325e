#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/evaluation.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/spec_json.h"
#include "tests/auto/evaluation/hugging_face_reference.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

const QStringList kTasks{"classify", "regress", "tag", "answer"};

// A model of about 44000 parameters for each task with four rows, and what Hugging Face's own code computes
// from them in float64.
fs::path folderOf(const QString& task)
{
    return referenceTaskModel(task.toStdString());
}

/// A softmax sees no shift of all its inputs, so the gradients of some biases are zero but for rounding.
constexpr double kVanishing = 1e-12;

/// ||actual - expected|| / ||expected||; of gradients that vanish against the norm of all gradients.
double errorOf(const TensorBytes& wanted, const SafetensorsFile& actual, double gradientNorm)
{
    const at::Tensor expected = tensorFrom(wanted);
    const double norm = normOf(expected);
    const double error = normOf(tensorFrom(*actual.find(wanted.name)).to(at::kDouble) - expected);
    return error / (norm < kVanishing * gradientNorm ? gradientNorm : norm);
}

double gradientNormOf(const SafetensorsFile& file)
{
    double norm = 0;
    for (const TensorBytes& tensor : file.tensors())
        norm = std::hypot(norm, isGradient(tensor) ? normOf(tensorFrom(tensor)) : 0.0);
    return norm;
}

std::string textOf(const Result<TrainingSeries>& result)
{
    return result.ok() ? std::string() : result.error().text();
}

} // namespace

class TestHuggingFaceTasks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        for (const QString& task : kTasks) {
            NEEDS_REFERENCE(folderOf(task));
        }
    }

    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void givesLossLogitsAndGradients_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QByteArray>("layout");
        for (const QString& task : kTasks) {
            QTest::addRow("%s", qPrintable(task)) << task << QByteArray();
            for (const char* layout :
                 {R"("layout": {"data": 2}, "memory": {"zero_stage": 2})", R"("layout": {"tensor": 2})",
                  R"("layout": {"data": 2, "tensor": 2, "sequence": true}, "memory": {"zero_stage": 3})",
                  R"("layout": {"pipeline": 2})", R"("layout": {"context": 2})"}) {
                if (task != "answer" || !QByteArray(layout).contains("context"))
                    QTest::addRow("%s %s", qPrintable(task), layout) << task << QByteArray(layout);
            }
        }
    }
    void givesLossLogitsAndGradients()
    {
        QFETCH(QString, task);
        QFETCH(QByteArray, layout);
        const SafetensorsFile actual = evaluated(task, layout);
        const auto expected = SafetensorsFile::open(folderOf(task) / "expected_fp64.safetensors").value();
        QVERIFY(std::ranges::equal(actual.tensors(), expected.tensors(), [](const auto& a, const auto& b) {
            return a.name == b.name && a.shape == b.shape && a.type == b.type;
        }));
        const double gradientNorm = gradientNormOf(expected);
        double worst = 0;
        for (const TensorBytes& tensor : expected.tensors()) {
            const double error = errorOf(tensor, actual, gradientNorm);
            worst = std::max(worst, error);
            QVERIFY2(error <= 1e-9, qPrintable(QString("%1: %2").arg(tensor.name.c_str()).arg(error)));
        }
        qInfo("largest relative error %.2e", worst);
    }

    void reproducesTheLossSeries_data() { addTasks(); }
    void reproducesTheLossSeries()
    {
        QFETCH(QString, task);
        const auto expected =
            nlohmann::json::parse(readFile(folderOf(task) / "expected.json").value()).at("adamw");
        EvalOptions eval = options(task);
        EvalTraining training{.optimizer = {}, .steps = 20};
        training.optimizer.kind = OptimizerKind::AdamW;
        training.optimizer.learningRate = expected.at("lr");
        training.optimizer.epsilon = expected.at("eps");
        training.optimizer.weightDecay = expected.at("weight_decay");
        training.optimizer.clipNorm = expected.at("clip");
        eval.training = training;
        const auto series = runEval(eval);
        QCOMPARE(textOf(series), std::string());
        const double losses = worstRelative(series->losses, expected.at("losses"));
        const double norms = worstRelative(series->gradientNorms, expected.at("grad_norms"));
        qInfo("largest relative error: losses %.2e, gradient norms %.2e", losses, norms);
        QVERIFY(losses <= 1e-8);
        QVERIFY(norms <= 1e-8);
    }

    void namesTheWrongInput_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QString>("message");
        QTest::addRow("class beyond the last") << "classify"
                                               << "labels"
                                               << "tensor labels has values outside 0 to 2";
        QTest::addRow("tag beyond the last") << "tag"
                                             << "labels"
                                             << "tensor labels has values outside 0 to 4";
        QTest::addRow("answer behind the row") << "answer"
                                               << "end_positions"
                                               << "tensor end_positions has values outside 0 to 31";
    }
    void namesTheWrongInput()
    {
        QFETCH(QString, task);
        QFETCH(QString, tensor);
        QFETCH(QString, message);
        EvalOptions eval = options(task);
        const auto inputs = SafetensorsFile::open(eval.inputs).value();
        std::vector<TensorBytes> tensors(inputs.tensors().begin(), inputs.tensors().end());
        const auto wrong = std::ranges::find(tensors, tensor.toStdString(), &TensorBytes::name);
        const at::Tensor values = at::full(wrong->shape, 32, at::kLong);
        *wrong = bytesOf(wrong->name, values);
        eval.inputs = path("inputs.safetensors");
        QVERIFY(writeSafetensors(eval.inputs, tensors).ok());
        eval.training = EvalTraining{.optimizer = {}, .steps = 1};
        QVERIFY2(textOf(runEval(eval)).find(message.toStdString()) != std::string::npos,
                 textOf(runEval(eval)).c_str());
    }

    void refusesLayoutsThatShareTheRowsOfAnswers()
    {
        EvalOptions eval = options("answer");
        eval.layout = layoutSpec(R"("layout": {"context": 2})");
        eval.out = path("out.safetensors");
        const auto result = runEval(eval);
        QVERIFY(!result.ok());
        QVERIFY2(result.error().text().find("layout.context") != std::string::npos,
                 result.error().text().c_str());
        QVERIFY(!fs::exists(*eval.out));
    }

private:
    static void addTasks()
    {
        QTest::addColumn<QString>("task");
        for (const QString& task : kTasks)
            QTest::addRow("%s", qPrintable(task)) << task;
    }

    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }

    static EvalOptions options(const QString& task)
    {
        EvalOptions options;
        options.model = folderOf(task);
        options.inputs = folderOf(task) / "inputs.safetensors";
        options.precision = ComputeType::Float64;
        return options;
    }

    static RunSpec layoutSpec(const QByteArray& layout)
    {
        return parseSpec(R"({"trainyard": 1, "name": "layout", )" + layout.toStdString() + "}").spec;
    }

    SafetensorsFile evaluated(const QString& task, const QByteArray& layout) const
    {
        EvalOptions eval = options(task);
        eval.out = path("out.safetensors");
        if (!layout.isEmpty())
            eval.layout = layoutSpec(layout);
        const auto result = runEval(eval);
        if (!result.ok())
            qWarning("%s", result.error().text().c_str());
        return SafetensorsFile::open(*eval.out).value();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestHuggingFaceTasks)
#include "tst_hugging_face_tasks.moc"
