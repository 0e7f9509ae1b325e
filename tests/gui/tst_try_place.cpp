#include <cstdint>
#include <memory>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>

#include <nlohmann/json.hpp>

#include "app/monitor/runs_page.h"
#include "app/trial/model/trial.h"
#include "app/trial/try_page.h"
#include "tests/gui/hand.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/reference_data.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

constexpr int kPage = 7; ///< as Ctrl and its digit

QString goldenModel(const QString& name)
{
    return QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/golden/hugging_face/") + name;
}

QString taskModel(const QString& task)
{
    return QString::fromStdString(referenceTaskModel(task.toStdString()).string());
}

void writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

/// BERT's special tokens and a few words: 19 entries, as the golden models have.
QByteArray vocabularyText()
{
    QByteArray text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ntrain\nthe\nleaves\n##s\n";
    for (int entry = 9; entry < 19; ++entry)
        text += "word" + QByteArray::number(entry) + '\n';
    return text;
}

/// A GPT-2 of so many positions whose weights are all 0, so that every token is equally probable.
void writeLongModel(const QString& folder, int positions)
{
    constexpr int kWidth = 8;
    constexpr int kVocabulary = 19;
    QVERIFY(QDir().mkpath(folder));
    const nlohmann::json config{{"model_type", "gpt2"},
                                {"architectures", {"GPT2LMHeadModel"}},
                                {"n_embd", kWidth},
                                {"n_head", 2},
                                {"n_layer", 1},
                                {"n_positions", positions},
                                {"vocab_size", kVocabulary},
                                {"activation_function", "gelu_new"},
                                {"layer_norm_epsilon", 1e-5},
                                {"tie_word_embeddings", true}};
    writeFile(folder + "/config.json", QByteArray::fromStdString(config.dump()));
    nlohmann::ordered_json header;
    std::int64_t end = 0;
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        std::int64_t bytes = 4;
        for (const std::int64_t extent : shape)
            bytes *= extent;
        header["transformer." + name] = {
            {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
        end += bytes;
    };
    add("wte.weight", {kVocabulary, kWidth});
    add("wpe.weight", {positions, kWidth});
    const std::string layer = "h.0.";
    for (const char* norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) {
        add(norm + std::string(".weight"), {kWidth});
        add(norm + std::string(".bias"), {kWidth});
    }
    add(layer + "attn.c_attn.weight", {kWidth, 3 * kWidth});
    add(layer + "attn.c_attn.bias", {3 * kWidth});
    add(layer + "attn.c_proj.weight", {kWidth, kWidth});
    add(layer + "attn.c_proj.bias", {kWidth});
    add(layer + "mlp.c_fc.weight", {kWidth, 4 * kWidth});
    add(layer + "mlp.c_fc.bias", {4 * kWidth});
    add(layer + "mlp.c_proj.weight", {4 * kWidth, kWidth});
    add(layer + "mlp.c_proj.bias", {kWidth});
    const std::string text = header.dump();
    QByteArray file;
    for (int byte = 0; byte < 8; ++byte)
        file += char(std::uint64_t(text.size()) >> (8 * byte));
    file += QByteArray::fromStdString(text);
    file += QByteArray(end, '\0');
    writeFile(folder + "/model.safetensors", file);
}

} // namespace

/// Tries models as a user does, with keys and the mouse, by the real worker through the real agent of this
/// machine.
class TestTryPlace : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_desk.start();
        m_desk.window().resize(1280, 800);
        m_hand = std::make_unique<Hand>(m_desk.window());
        m_vocabulary = m_desk.path("vocab.txt");
        writeFile(m_vocabulary, vocabularyText());
    }
    void cleanup()
    {
        m_hand.reset();
        m_desk.end();
    }

    void fillsInAMask()
    {
        MUST(openModel(goldenModel("bert")));
        MUST(m_hand->write("Answers", "3"));
        MUST(m_hand->write("Text", "The [MASK] leaves"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        const auto* table = qobject_cast<QTableView*>(answer("QTableView"));
        QVERIFY(table);
        QCOMPARE(table->model()->rowCount(), 3);
        QVERIFY(table->model()->index(0, 2).data().toString().endsWith("%"));
        const QString best = table->model()->index(0, 1).data().toString();
        QVERIFY(
            m_hand->sees(filledText("The [MASK] leaves", QList<QList<MaskAnswer>>{{MaskAnswer{best, 1}}})));
        support::savePictures(m_desk.window(), "try-mask");
    }

    void continuesATextTheSameWayAgain()
    {
        MUST(openModel(goldenModel("gpt2")));
        MUST(m_hand->write("New tokens", "6"));
        MUST(m_hand->write("Text", "the trains"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        const QString first = shownText();
        QVERIFY2(first.startsWith("the trains"), qPrintable(first));
        QVERIFY(first.size() > 10);
        QVERIFY(m_hand->sees("new token"));
        QTest::keyClick(&m_desk.window(), Qt::Key_Return, Qt::ControlModifier);
        AWAIT(!m_hand->canPress("Try this text"));
        MUST(awaitAnswer());
        QCOMPARE(shownText(), first);
    }

    void theMostProbableTokensNeedNoSeed()
    {
        MUST(openModel(goldenModel("gpt2")));
        QVERIFY(isThere("Seed"));
        MUST(m_hand->choose("Next token", "Most probable"));
        QVERIFY(!isThere("Seed"));
        MUST(m_hand->write("Text", "the"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        QVERIFY(shownText().startsWith("the"));
    }

    void putsTwoModelsNextToEachOther()
    {
        MUST(openModel(goldenModel("gpt2")));
        MUST(m_hand->press("Compare with a second model"));
        MUST(m_hand->write("Folder 2", goldenModel("gpt2-untied")));
        MUST(m_hand->write("Vocabulary 2", m_vocabulary));
        MUST(m_hand->write("New tokens", "5"));
        MUST(m_hand->write("Text", "the train"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        AWAIT(shownText().startsWith("the train"));
        AWAIT(shownText(" 2").startsWith("the train"));
        support::savePictures(m_desk.window(), "try-two");
        m_desk.window().resize(2560, 1440);
        support::savePictures(m_desk.window(), "try-two-2560");
    }

    void triesModelsOfTasks_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("pair");
        QTest::addColumn<int>("columns");
        QTest::addRow("classify") << "classify"
                                  << "" << 2;
        QTest::addRow("classify a pair") << "classify"
                                         << "the train leaves" << 2;
        QTest::addRow("regress") << "regress"
                                 << "" << 0;
        QTest::addRow("tag") << "tag"
                             << "" << 3;
        QTest::addRow("answer") << "answer"
                                << "the train leaves the word20 . the trains leave word21" << 3;
    }
    void triesModelsOfTasks()
    {
        QFETCH(QString, task);
        QFETCH(QString, pair);
        QFETCH(int, columns);
        NEEDS_REFERENCE(taskModel(task).toStdString());
        MUST(openTaskModel(task));
        MUST(m_hand->write("Text", "the train leaves"));
        if (!pair.isEmpty())
            MUST(m_hand->write("Second text", pair));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        const auto* table = qobject_cast<QTableView*>(answer("QTableView"));
        QCOMPARE(table != nullptr, columns > 0); // a value has no table
        support::savePictures(m_desk.window(), qPrintable("try-" + task));
        if (!table) {
            QVERIFY(!field<QLabel>("Value")->text().isEmpty());
            return;
        }
        QCOMPARE(table->model()->columnCount(), columns);
        QVERIFY(table->model()->rowCount() > 0);
        const QString first = table->model()->index(0, 0).data().toString();
        if (task == "classify")
            QVERIFY2(QStringList({"late", "early", "LABEL_2"}).contains(first), qPrintable(first));
        if (task == "tag")
            QCOMPARE(first, QString("the"));
        if (task == "answer")
            QVERIFY2(pair.contains(first), qPrintable(first));
        if (task == "tag" || task == "answer")
            QCOMPARE(field<QPlainTextEdit>("Marked text")->toPlainText(),
                     task == "tag" ? QString("the train leaves") : pair);
    }

    void aQuestionNeedsItsText()
    {
        NEEDS_REFERENCE(taskModel("answer").toStdString());
        MUST(openTaskModel("answer"));
        MUST(m_hand->write("Text", "who"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        AWAIT(m_hand->sees("give the text that has the answer"));
    }

    void cancelKeepsTheTextSoFar()
    {
        MUST(writeLongModel(m_desk.path("long"), 60'000));
        MUST(openModel(m_desk.path("long")));
        MUST(m_hand->write("New tokens", "50000"));
        MUST(m_hand->press("Stop")); // no more
        MUST(m_hand->write("Text", "the"));
        MUST(m_hand->press("Try this text"));
        AWAIT(shownText().size() > 100);
        QVERIFY(!m_hand->canPress("Try this text"));
        QTest::keyClick(&m_desk.window(), Qt::Key_Escape);
        MUST(awaitAnswer());
        AWAIT(m_hand->sees("cancelled after"));
        QVERIFY(shownText().size() > 100);
        MUST(m_hand->write("New tokens", "3"));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        AWAIT(m_hand->sees("3 new tokens"));
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        QTest::addRow("no folder") << "/no/such/model"
                                   << "the"
                                   << "no run, checkpoint or folder /no/such/model";
        QTest::addRow("no model") << "/usr"
                                  << "the"
                                  << "there are no weights in /usr";
        QTest::addRow("no mask") << goldenModel("bert") << "the train"
                                 << "prompt 1 has no mask";
        QTest::addRow("too long") << goldenModel("gpt2") << QString("the ").repeated(20)
                                  << "20 tokens, but the model has 11 positions";
    }
    void saysWhatIsWrong()
    {
        QFETCH(QString, folder);
        QFETCH(QString, text);
        QFETCH(QString, problem);
        MUST(openModel(folder));
        MUST(m_hand->write("Text", text));
        MUST(m_hand->press("Try this text"));
        MUST(awaitAnswer());
        AWAIT(m_hand->sees(problem));
        QVERIFY(m_hand->sees("failed"));
        QVERIFY(!m_hand->sees("ended with status")); // in the job's own words
        support::savePictures(m_desk.window(), "try-problem");
    }

    void aTextIsNeededFirst()
    {
        m_hand->goTo(kPage);
        QVERIFY(!m_hand->canPress("Try this text"));
        MUST(m_hand->write("Text", "the"));
        QVERIFY(m_hand->sees("Choose a model first"));
        MUST(m_hand->press("Insert [MASK]"));
        QVERIFY(field<QPlainTextEdit>("Text")->toPlainText().contains("[MASK]"));
    }

    void runsGivesTheCheckpoint()
    {
        support::SampleRun run;
        run.id = "20261121T091505Z-bert-tiny-3f2a";
        support::writeSampleRun(m_desk.path("data/runs"), run);
        m_desk.open();
        m_hand = std::make_unique<Hand>(m_desk.window());
        auto& runs = m_desk.goTo<RunsPage>();
        emit runs.trialRequested(run.id, 200);
        QCOMPARE(m_desk.window().currentPage()->title(), QString("Try"));
        QVERIFY(field<QComboBox>("Model")->currentText().startsWith("bert-tiny"));
        QCOMPARE(field<QComboBox>("Checkpoint")->currentText(), QString("Step 200"));
        QVERIFY(!isThere("Folder"));
        QVERIFY(!isThere("Temperature")); // an encoder does not continue texts
        MUST(m_hand->write("Text", "no mask"));
        QVERIFY(m_hand->sees("Put [MASK] where"));
    }

private:
    /// As a user does in the page, with the vocabulary of this test.
    void openModel(const QString& folder)
    {
        m_hand->goTo(kPage);
        MUST(m_hand->choose("Model", "A folder"));
        MUST(m_hand->write("Folder", folder));
        MUST(m_hand->write("Vocabulary", m_vocabulary));
    }

    /// A reference model with names for two of its labels, and a vocabulary of its size.
    void openTaskModel(const QString& task)
    {
        const QString model = taskModel(task);
        const QString folder = m_desk.path("model");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(QFile::copy(model + "/model.safetensors", folder + "/model.safetensors"));
        QFile config(model + "/config.json");
        QVERIFY(config.open(QIODevice::ReadOnly));
        auto json = nlohmann::json::parse(config.readAll().toStdString());
        if (task == "classify")
            json["id2label"] = {{"0", "late"}, {"1", "early"}, {"2", "LABEL_2"}};
        writeFile(folder + "/config.json", QByteArray::fromStdString(json.dump()));
        QByteArray vocabulary = vocabularyText();
        for (int entry = 19; entry < json.at("vocab_size").get<int>(); ++entry)
            vocabulary += "word" + QByteArray::number(entry) + '\n';
        writeFile(m_vocabulary, vocabulary);
        openModel(folder);
    }

    void awaitAnswer() { AWAIT(m_hand->canPress("Try this text")); }

    template <typename Field>
    Field* field(const QString& name) const
    {
        for (auto* each : window().template findChildren<Field*>()) {
            if (each->isVisible() && each->accessibleName() == name)
                return each;
        }
        return nullptr;
    }
    bool isThere(const QString& name) const { return field<QWidget>(name); }
    QWidget* answer(const char* className, const QString& number = {}) const
    {
        for (auto* each : window().findChildren<QWidget*>()) {
            if (each->isVisible() && each->inherits(className) && each->accessibleName() == "Answer" + number)
                return each;
        }
        return nullptr;
    }
    QString shownText(const QString& number = {}) const
    {
        const auto* text = qobject_cast<QPlainTextEdit*>(answer("QPlainTextEdit", number));
        return text ? text->toPlainText() : QString();
    }
    QWidget& window() const { return const_cast<PageFixture&>(m_desk).window(); }

    PageFixture m_desk;
    std::unique_ptr<Hand> m_hand;
    QString m_vocabulary;
};

QTEST_MAIN(TestTryPlace)
#include "tst_try_place.moc"
