#include <memory>

#include <QFile>
#include <QTableView>
#include <QTest>

#include "app/data/data_page.h"
#include "app/data/prepare_form.h"
#include "tests/gui/hand.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

constexpr int kPage = 2; ///< as Ctrl and its digit

QByteArray vocabularyText()
{
    return "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ntrain\nwas\nlate\nearly\nagain\n.\n";
}

/// Classes by columns with other names than usual.
QByteArray reviews(int count)
{
    QByteArray text = "review\tverdict\n";
    for (int i = 0; i < count; ++i)
        text += i % 3 == 0 ? "the train was late again .\tbad\n" : "the train was early .\tgood\n";
    return text;
}

} // namespace

/// Prepares labelled examples as a user does, on this machine, through the real agent.
class TestLabelledData : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_desk.start();
        m_desk.window().resize(1280, 800);
        m_hand = std::make_unique<Hand>(m_desk.window());
        write("vocab.txt", vocabularyText());
    }
    void cleanup()
    {
        m_hand.reset();
        m_desk.end();
    }

    void everyOptionOfATaskHasAField_data()
    {
        QTest::addColumn<int>("kind");
        for (const TaskKind kind :
             {TaskKind::Classify, TaskKind::Regress, TaskKind::Tag, TaskKind::Answer, TaskKind::Complete})
            QTest::addRow("%s", std::string(nameOf(kind)).c_str()) << int(kind);
    }
    void everyOptionOfATaskHasAField()
    {
        QFETCH(int, kind);
        PrepareForm& form = openForm();
        PrepareRequest options;
        options.task.kind = TaskKind(kind);
        options.task.text = "review";
        options.task.pair = "2";
        options.task.label = "verdict";
        options.task.noHeader = true;
        options.task.labels = {"bad", "good one"};
        options.task.heldOut = {"/d/dev.tsv", "/d/more.tsv"};
        options.task.docStride = 32;
        options.dumps = {"/d/train.tsv"};
        options.vocabulary = "/d/vocab.txt";
        options.cased = true;
        options.profile = "google-py";
        options.out = "/d/set";
        options.shapes = {{96, 7}};
        options.instances.seed = 99;
        options.trainingShards = 6;
        options.testShards = 3;
        options.testFraction = 0.125;
        options.corpus = "reviews";
        form.setRequest(options);
        QCOMPARE(form.request(), options);
        QVERIFY(validate(options).empty());
        form.setRequest({});
        QCOMPARE(form.request(), PrepareRequest{});
    }

    // Options of a corpus that were set before mean nothing for examples.
    void optionsOfACorpusAreLeftOut()
    {
        PrepareForm& form = openForm();
        PrepareRequest options;
        options.trainVocabulary = 4000;
        options.shapes = {{128, 20}, {512, 80}};
        options.dupeFactor = 9;
        options.keepLists = options.extra.mds = true;
        form.setRequest(options);
        MUST(m_hand->choose("Task", "Classification"));
        const PrepareRequest asked = form.request();
        QCOMPARE(asked.task.kind, TaskKind::Classify);
        QCOMPARE(asked.trainVocabulary, 0u);
        QCOMPARE(asked.shapes.size(), std::size_t(1));
        QCOMPARE(asked.dupeFactor, PrepareOptions().dupeFactor);
        QVERIFY(!asked.keepLists && !asked.extra.mds);
        for (const char* gone : {"Objective", "Duplicates", "Vocabulary size", "Phase"})
            QVERIFY2(!m_hand->sees(gone) && !isThere(gone), gone);
        MUST(m_hand->choose("Task", "Question answering"));
        QVERIFY(isThere("Overlap") && !isThere("Label column") && !isThere("Labels"));
        MUST(m_hand->choose("Task", "Pre-training on plain text"));
        QVERIFY(isThere("Objective") && !isThere("Overlap"));
        QCOMPARE(form.request().dupeFactor, 9);
    }

    void examplesBecomeADataSetForARun()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        write("train.tsv", reviews(60));
        MUST(fillIn("train.tsv"));
        support::savePictures(m_desk.window(), "labelled-form");
        MUST(m_hand->press("Prepare"));
        DataSetListModel& sets = m_desk.session().dataSets();
        AWAIT_EQUAL(sets.rowCount(), 1);
        const DataSetEntry entry = sets.at(0);
        QCOMPARE(entry.objective, std::string("classify"));
        QCOMPARE(entry.labels, 2);
        QCOMPARE(entry.documents, 60u);
        QCOMPARE(entry.sequenceLength, 16);
        QVERIFY(entry.testRows > 0 && entry.testRows < 60);
        AWAIT_EQUAL(sets.at(0).check, DataSetEntry::Check::Verified);
        AWAIT(m_hand->sees("2 classes"));
        AWAIT(m_hand->sees("Class: good") || m_hand->sees("Class: bad"));
        MUST(m_hand->openTab("Manifest"));
        AWAIT(seesCell("bad, good")); // the names of the labels
        support::savePictures(m_desk.window(), "labelled-set");
        m_desk.window().resize(2560, 1440);
        support::savePictures(m_desk.window(), "labelled-set-2560");

        MUST(m_hand->press("Use in a run"));
        QCOMPARE(m_desk.window().currentPage()->title(), QString("Design"));
        QVERIFY(m_hand->sees("The task was set: 2 classes."));
        const RunSpec& spec = m_desk.session().document().spec();
        QCOMPARE(spec.model.task.kind, TaskKind::Classify);
        QCOMPARE(spec.model.task.labels, 2);
        MUST(m_hand->write("Labels", "5"));
        AWAIT(m_hand->sees("has 2 labels")); // among the problems
        MUST(m_hand->write("Labels", "2"));
        AWAIT(!m_hand->sees("has 2 labels"));
        MUST(m_hand->choose("Task", "tag"));
        AWAIT(m_hand->sees("are for classify"));
        support::savePictures(m_desk.window(), "labelled-design");
    }

    void aProblemOfAFileIsSaidWithItsLine()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        write("train.tsv", reviews(3) + "the train was early .\t\n" + reviews(1).mid(15));
        MUST(fillIn("train.tsv"));
        MUST(m_hand->press("Prepare"));
        AWAIT(m_hand->sees("train.tsv: line 5, column verdict"));
        QCOMPARE(m_desk.session().dataSets().rowCount(), 0);
        support::savePictures(m_desk.window(), "labelled-problem");
    }

    void theFormSaysWhatIsMissing()
    {
        openForm();
        MUST(m_hand->choose("Task", "Token classification"));
        MUST(m_hand->press("Prepare"));
        QVERIFY(m_hand->sees("no file is given"));
        QVERIFY(m_hand->sees("give a folder that does not exist yet"));
        MUST(m_hand->write("Test files", "dev.txt"));
        QVERIFY(m_hand->sees("\"dev.txt\" is not a full path"));
        QVERIFY(!isThere("Held out"));
    }

private:
    PrepareForm& openForm()
    {
        m_hand->goTo(kPage);
        m_hand->press("Prepare…");
        return *m_desk.window().findChild<PrepareForm*>();
    }
    void fillIn(const QString& file)
    {
        openForm();
        MUST(m_hand->choose("Task", "Classification"));
        MUST(m_hand->write("Files", m_desk.path(file)));
        MUST(m_hand->write("Output folder", m_desk.path("set")));
        MUST(m_hand->write("Vocabulary file", m_desk.path("vocab.txt")));
        MUST(m_hand->write("Text column", "review"));
        MUST(m_hand->write("Label column", "verdict"));
        MUST(m_hand->write("Sequence length", "16"));
        MUST(m_hand->write("Held out", "0.25"));
    }
    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_desk.path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    bool seesCell(const QString& text)
    {
        for (const auto* table : m_desk.window().findChildren<QTableView*>()) {
            if (!table->isVisible() || !table->model())
                continue;
            const auto* model = table->model();
            for (int row = 0; row < model->rowCount(); ++row) {
                for (int column = 0; column < model->columnCount(); ++column) {
                    if (model->index(row, column).data().toString() == text)
                        return true;
                }
            }
        }
        return false;
    }
    bool isThere(const QString& name)
    {
        for (auto* each : m_desk.window().findChildren<QWidget*>()) {
            if (each->isVisible() && each->accessibleName() == name)
                return true;
        }
        return false;
    }

    PageFixture m_desk;
    std::unique_ptr<Hand> m_hand;
};

QTEST_MAIN(TestLabelledData)
#include "tst_labelled_data.moc"
