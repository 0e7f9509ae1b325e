#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <ATen/Parallel.h>
#include <ATen/ops/softmax.h>

#include "engine/checkpoint/format/safetensors.h"
#include "engine/checkpoint/hugging_face/hugging_face_model.h"
#include "engine/checkpoint/tensor_views.h"
#include "engine/generation/task_outputs.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/language_model.h"
#include "tests/auto/evaluation/hugging_face_reference.h"
#include "tests/support/reference_data.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-9; // float64 in another order of the sums

fs::path reference(const std::string& task)
{
    return referenceTaskModel(task);
}

/// A model with four rows, and what Hugging Face computes from them.
class Reference {
public:
    explicit Reference(const std::string& task)
        : m_inputs(SafetensorsFile::open(reference(task) / "inputs.safetensors").value())
        , m_expected(SafetensorsFile::open(reference(task) / "expected_fp64.safetensors").value())
        , m_folder(HuggingFaceModel::open(reference(task)).value())
        , m_model(m_folder.spec(), ComputeType::Float64)
    {
        if (!m_folder.load(m_model.parameters()).ok())
            QTest::qFail("the weights cannot be loaded", __FILE__, __LINE__);
    }

    const LanguageModel& model() const { return m_model; }
    const std::vector<std::string>& labels() const { return m_folder.labels(); }

    /// Without padding.
    EncodedRow row(std::int64_t index) const
    {
        const at::Tensor ids = tensorFrom(*m_inputs.find("input_ids"))[index];
        const at::Tensor mask = tensorFrom(*m_inputs.find("attention_mask"))[index];
        const at::Tensor types = tensorFrom(*m_inputs.find("token_type_ids"))[index];
        EncodedRow row;
        for (std::int64_t i = 0; i < mask.sum().item<std::int64_t>(); ++i) {
            row.tokens.push_back(ids[i].item<std::int64_t>());
            row.secondFrom += types[i].item<std::int64_t>() == 0;
        }
        return row;
    }
    at::Tensor expected(const char* name, std::int64_t index) const
    {
        return tensorFrom(*m_expected.find(name))[index];
    }

private:
    SafetensorsFile m_inputs;
    SafetensorsFile m_expected;
    HuggingFaceModel m_folder;
    LanguageModel m_model;
};

constexpr std::int64_t kRows = 4;

/// Largest difference to softmax(logits), of labels that come most probable first.
double errorOf(const std::vector<LabelProbability>& labels, const at::Tensor& logits)
{
    const at::Tensor wanted = at::softmax(logits, 0);
    double worst =
        std::ranges::is_sorted(labels, std::ranges::greater(), &LabelProbability::probability) ? 0 : 1;
    for (const auto& [label, probability] : labels)
        worst =
            std::max(worst, std::abs(probability - wanted[static_cast<std::int64_t>(label)].item<double>()));
    return worst;
}

double errorOf(const std::vector<double>& values, const at::Tensor& wanted)
{
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        worst = std::max(worst, std::abs(values[i] - wanted[static_cast<std::int64_t>(i)].item<double>()));
    return worst;
}

} // namespace

class TestTaskOutputs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
        for (const char* task : {"classify", "regress", "tag", "answer"}) {
            NEEDS_REFERENCE(reference(task));
        }
    }

    void classifiesLikeHuggingFace()
    {
        const Reference reference("classify");
        QCOMPARE(reference.labels().size(), std::size_t(3));
        for (std::int64_t i = 0; i < kRows; ++i) {
            const auto labels = classifyRow(reference.model(), reference.row(i), 10);
            QVERIFY(labels.ok());
            QCOMPARE(labels->size(), std::size_t(3));
            QVERIFY(errorOf(*labels, reference.expected("logits", i)) < kTolerance);
        }
        QCOMPARE(classifyRow(reference.model(), reference.row(0), 1)->size(), std::size_t(1));
    }

    void givesTheValuesOfHuggingFace()
    {
        const Reference reference("regress");
        QVERIFY(reference.labels().empty());
        for (std::int64_t i = 0; i < kRows; ++i) {
            const double value = valueOfRow(reference.model(), reference.row(i)).value();
            QVERIFY(errorOf(std::vector{value}, reference.expected("logits", i)) < kTolerance);
        }
    }

    void tagsLikeHuggingFace()
    {
        const Reference reference("tag");
        for (std::int64_t i = 0; i < kRows; ++i) {
            const EncodedRow row = reference.row(i);
            std::vector<std::size_t> tokens(row.tokens.size());
            std::iota(tokens.begin(), tokens.end(), std::size_t(0));
            const auto labels = tagTokens(reference.model(), row, tokens, 5).value();
            QCOMPARE(labels.size(), tokens.size());
            for (std::size_t token = 0; token < tokens.size(); ++token)
                QVERIFY(errorOf(labels[token],
                                reference.expected("logits", i)[static_cast<std::int64_t>(token)]) <
                        kTolerance);
        }
    }

    void findsTheAnswersOfHuggingFace()
    {
        const Reference reference("answer");
        for (std::int64_t i = 0; i < kRows; ++i) {
            const EncodedRow row = reference.row(i);
            const AnswerLogits logits = answerLogits(reference.model(), row).value();
            QCOMPARE(logits.starts.size(), row.tokens.size());
            QCOMPARE(logits.ends.size(), row.tokens.size());
            QVERIFY(errorOf(logits.starts, reference.expected("start_logits", i)) < kTolerance);
            QVERIFY(errorOf(logits.ends, reference.expected("end_logits", i)) < kTolerance);
        }
    }

    void refusesOtherTasksAndLongRows()
    {
        const Reference reference("classify");
        const auto value = valueOfRow(reference.model(), reference.row(0));
        QVERIFY(!value.ok());
        QVERIFY(value.error().text().find("not made for regress") != std::string::npos);
        EncodedRow row;
        row.tokens.assign(65, 5);
        const auto labels = classifyRow(reference.model(), row, 3);
        QVERIFY(!labels.ok());
        QVERIFY2(labels.error().text().find("65 tokens, but the model has 64 positions") != std::string::npos,
                 labels.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestTaskOutputs)
#include "tst_task_outputs.moc"
