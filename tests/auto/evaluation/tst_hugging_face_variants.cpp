#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/ops/linalg_vector_norm.h>

#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/evaluation/evaluation.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/spec_json.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

// One folder per model, made and computed by Hugging Face's own code: make_golden.py there.
fs::path goldenFolder()
{
    return fs::path(TRAINYARD_SOURCE_DIR) / "tests/golden/hugging_face";
}

// Key biases have no gradient in real arithmetic, so errors are taken against all gradients together.
double normOfAll(const SafetensorsFile& file)
{
    double squares = 0;
    for (const TensorBytes& tensor : file.tensors())
        squares += std::pow(at::linalg_vector_norm(tensorFrom(tensor)).item<double>(), 2);
    return std::sqrt(squares);
}

bool isOfTask(const std::string& name)
{
    return std::ranges::any_of(std::array{"-classify", "-regress", "-tag", "-answer"},
                               [&](const char* task) { return name.ends_with(task); });
}

// Hugging Face computes the loss of most classes that predict words in float32, whose last digits depend on
// the processor's instructions.
double toleranceOf(const fs::path& golden)
{
    const std::string name = golden.filename().string();
    return name.starts_with("bert") || name.starts_with("roberta") || isOfTask(name) ? 1e-12 : 1e-7;
}

} // namespace

class TestHuggingFaceVariants : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
    }

    void givesLossAndGradients_data()
    {
        QTest::addColumn<QString>("folder");
        for (const auto& entry : fs::directory_iterator(goldenFolder())) {
            if (entry.is_directory())
                QTest::addRow("%s", entry.path().filename().c_str())
                    << QString::fromStdString(entry.path().string());
        }
    }
    void givesLossAndGradients()
    {
        QFETCH(QString, folder);
        compare(folder.toStdString(), {});
    }

    void sharesTheHeadsOfTasks_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("layout");
        for (const auto& entry : fs::directory_iterator(goldenFolder())) {
            const fs::path& path = entry.path();
            if (!isOfTask(path.filename().string()))
                continue;
            for (const char* layout :
                 {R"("layout": {"tensor": 2})", R"("layout": {"data": 3}, "memory": {"zero_stage": 3})",
                  R"("layout": {"pipeline": 2})"})
                QTest::addRow("%s, %s", path.filename().c_str(), layout)
                    << QString::fromStdString(path.string()) << layout;
        }
    }
    void sharesTheHeadsOfTasks()
    {
        QFETCH(QString, folder);
        QFETCH(QString, layout);
        const auto parsed =
            parseSpec(QString(R"({"trainyard": 1, "name": "layout", %1})").arg(layout).toStdString());
        compare(folder.toStdString(), parsed.spec);
    }

private:
    static void compare(const fs::path& golden, const std::optional<RunSpec>& layout)
    {
        const QTemporaryDir temporary;
        EvalOptions options;
        options.model = golden;
        options.inputs = golden / "inputs.safetensors";
        options.out = fs::path(temporary.path().toStdString()) / "out.safetensors";
        options.precision = ComputeType::Float64;
        options.layout = layout;
        const auto result = runEval(options);
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().text().c_str());

        const auto expected = SafetensorsFile::open(golden / "expected.safetensors").value();
        const auto actual = SafetensorsFile::open(*options.out).value();
        const double norm = normOfAll(expected);
        for (const TensorBytes& tensor : expected.tensors()) {
            QVERIFY2(actual.find(tensor.name), tensor.name.c_str());
            const at::Tensor difference = tensorFrom(*actual.find(tensor.name)) - tensorFrom(tensor);
            const double error = at::linalg_vector_norm(difference).item<double>() / norm;
            QVERIFY2(error <= toleranceOf(golden),
                     qPrintable(QString("%1: %2").arg(tensor.name.c_str()).arg(error)));
        }
    }
};

QTEST_APPLESS_MAIN(TestHuggingFaceVariants)
#include "tst_hugging_face_variants.moc"
