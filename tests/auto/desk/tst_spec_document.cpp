#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/designer/model/batch_equation.h"
#include "app/designer/model/duplicate_node.h"
#include "app/designer/model/spec_document.h"
#include "engine/base/file.h"
#include "engine/planner/scaling/scaled_layout.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

RunSpec validSpec()
{
    RunSpec spec;
    spec.dataset.path = "/data/set";
    return spec;
}

void setSteps(SpecDocument& document, int steps)
{
    document.edit("Steps", "launch.steps", [steps](RunSpec& spec) { spec.launch.steps = steps; });
}

/// A window with Design from its opening to its closing.
void inSession(const std::filesystem::path& draft, const std::function<void(SpecDocument&)>& work)
{
    SpecDocument document;
    DesignDraft kept(document, draft);
    QVERIFY(kept.restore().ok());
    work(document);
}

} // namespace

class TestSpecDocument : public QObject {
    Q_OBJECT

private slots:
    void typingIsOneUndoStepUntilTheFieldIsLeft()
    {
        SpecDocument document;
        for (const int steps : {1, 12, 123})
            setSteps(document, steps);
        document.closeEdit();
        setSteps(document, 5);
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        QCOMPARE(document.spec().launch.steps, 123);
        document.undoStack().undo();
        QCOMPARE(document.spec(), RunSpec{});
        document.undoStack().redo();
        QCOMPARE(document.spec().launch.steps, 123);
    }

    void typingBackToTheOldValueLeavesNothingToUndo()
    {
        SpecDocument document;
        setSteps(document, 7);
        setSteps(document, RunSpec{}.launch.steps);
        QVERIFY(!document.undoStack().canUndo());
    }

    void aDesignThatWasNeverSavedIsThereInTheNextSession()
    {
        const QTemporaryDir folder;
        const auto draft = std::filesystem::path(folder.filePath("design.json").toStdString());
        inSession(draft, [](SpecDocument& document) { setSteps(document, 123); });
        inSession(draft, [](SpecDocument& document) {
            QCOMPARE(document.spec().launch.steps, 123);
            QVERIFY(document.file().empty());
        });
    }

    void changesOfAFileCanBeUndoneInTheNextSession()
    {
        const QTemporaryDir folder;
        const auto draft = std::filesystem::path(folder.filePath("design.json").toStdString());
        const auto file = std::filesystem::path(folder.filePath("mine.json").toStdString());
        inSession(draft, [&file](SpecDocument& document) {
            setSteps(document, 5);
            QVERIFY(document.save(file).ok());
            setSteps(document, 7);
        });
        inSession(draft, [&file](SpecDocument& document) {
            QCOMPARE(document.file(), file);
            QCOMPARE(document.spec().launch.steps, 7);
            QVERIFY(document.isModified());
            document.undoStack().undo();
            QCOMPARE(document.spec().launch.steps, 5);
            QVERIFY(!document.isModified());
        });
    }

    void aDraftOfANewerVersionIsLeftAlone()
    {
        const QTemporaryDir folder;
        const auto draft = std::filesystem::path(folder.filePath("design.json").toStdString());
        const std::string newer = R"({"version": 99, "specification": "{}"})";
        QVERIFY(writeFileAtomically(draft, newer).ok());
        {
            SpecDocument document;
            DesignDraft kept(document, draft);
            QVERIFY(!kept.restore().ok());
            setSteps(document, 5);
        }
        QCOMPARE(readFile(draft).value(), newer);
    }

    void anEditThatChangesNothingIsNone()
    {
        SpecDocument document;
        QSignalSpy changed(&document, &SpecDocument::changed);
        setSteps(document, document.spec().launch.steps);
        QCOMPARE(changed.count(), 0);
    }

    void diagnosticsAreUpToDateWhenChangedIsEmitted()
    {
        SpecDocument document;
        document.reset(validSpec());
        QVERIFY(document.isValid());
        Diagnostics seen;
        connect(&document, &SpecDocument::changed, this, [&] { seen = document.diagnostics(); });
        setSteps(document, 0);
        QCOMPARE(seen.size(), std::size_t(1));
        QCOMPARE(seen.front().path, "launch.steps");
    }

    void savesAndOpens()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("run.json").toStdString();
        SpecDocument document;
        document.reset(validSpec());
        setSteps(document, 77);
        QVERIFY(document.isModified());
        QVERIFY(document.save(file).ok());
        QVERIFY(!document.isModified());
        SpecDocument other;
        QVERIFY(other.open(file).ok());
        QCOMPARE(other.spec(), document.spec());
        QCOMPARE(other.file(), file);
    }

    void anEditAfterSavingIsAStepOfItsOwn()
    {
        QTemporaryDir folder;
        SpecDocument document;
        setSteps(document, 7);
        QVERIFY(document.save(folder.filePath("run.json").toStdString()).ok());
        setSteps(document, 70);
        QVERIFY(document.isModified());
        document.undoStack().undo();
        QCOMPARE(document.spec().launch.steps, 7);
        QVERIFY(!document.isModified());
    }

    void aBrokenFileLeavesTheDocumentAsItWas()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("run.json").toStdString();
        QVERIFY(writeFileAtomically(file, R"({"trainyard": 1, "launch": {"stepps": 3}})").ok());
        SpecDocument document;
        document.reset(validSpec());
        const Status opened = document.open(file);
        QVERIFY(!opened.ok());
        QVERIFY(opened.error().text().find("stepps") != std::string::npos);
        QVERIFY(opened.error().text().find("run.json") != std::string::npos);
        QCOMPARE(document.spec(), validSpec());
    }

    void theBatchEquationStaysTrue_data()
    {
        QTest::addColumn<int>("term");
        QTest::addColumn<int>("value");
        QTest::addRow("micro") << int(BatchTerm::Micro) << 16;
        QTest::addRow("accumulation") << int(BatchTerm::Accumulation) << 3;
        QTest::addRow("data") << int(BatchTerm::Data) << 6;
        QTest::addRow("global") << int(BatchTerm::Global) << 64;
    }
    void theBatchEquationStaysTrue()
    {
        QFETCH(int, term);
        QFETCH(int, value);
        RunSpec spec;
        setBatchTerm(spec, static_cast<BatchTerm>(term), value);
        QCOMPARE(batchTerm(spec, static_cast<BatchTerm>(term)), value);
        QCOMPARE(spec.batch.micro * spec.batch.accumulation * spec.layout.data, spec.batch.global);
    }

    void anImpossibleGlobalBatchIsLeftToValidate()
    {
        RunSpec spec = validSpec(); // micro 8, accumulation 4
        setBatchTerm(spec, BatchTerm::Global, 33);
        QCOMPARE(spec.batch.accumulation, 4);
        QCOMPARE(validate(spec).front().path, "batch.global");
    }

    void zeroAndOverflowDoNoHarm()
    {
        RunSpec spec;
        setBatchTerm(spec, BatchTerm::Micro, 0);
        setBatchTerm(spec, BatchTerm::Micro, 2'000'000'000);
        QCOMPARE(spec.batch.micro, 2'000'000'000);
        QVERIFY(spec.batch.global > 0);
    }

    void scaledCopiesAreValid_data()
    {
        QTest::addColumn<bool>("weak");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("global");
        QTest::addColumn<int>("accumulation");
        QTest::addRow("strong 1") << false << 1 << 32 << 4;
        QTest::addRow("strong 4") << false << 4 << 32 << 1;
        QTest::addRow("weak 1") << true << 1 << 32 << 4;
        QTest::addRow("weak 4") << true << 4 << 128 << 4;
    }
    void scaledCopiesAreValid()
    {
        QFETCH(bool, weak);
        QFETCH(int, ranks);
        QFETCH(int, global);
        QFETCH(int, accumulation);
        RunSpec spec = validSpec();
        spec.cluster.nodes = {NodeSpec{"a", 2, 0}, NodeSpec{"b", 2, 0}};
        const auto copy = scaledCopy(spec, ranks, weak ? Scaling::Weak : Scaling::Strong);
        QVERIFY(copy.ok());
        QVERIFY(validate(*copy).empty());
        QCOMPARE(copy->cluster.totalSlots(), ranks);
        QCOMPARE(copy->batch.global, global);
        QCOMPARE(copy->batch.accumulation, accumulation);
    }

    void furtherNodesAreNamedOnFromTheLast_data()
    {
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("added");
        QTest::addRow("number") << "gpu-11"
                                << "gpu-12 gpu-13";
        QTest::addRow("digits") << "node009"
                                << "node010 node011";
        QTest::addRow("domain") << "ada@node9.lab2.org"
                                << "ada@node10.lab2.org ada@node11.lab2.org";
        QTest::addRow("address") << "10.0.0.3"
                                 << "10.0.0.4 10.0.0.5";
        QTest::addRow("address of a user") << "me@10.0.0.3"
                                           << "me@10.0.0.4 me@10.0.0.5";
        QTest::addRow("address with a port") << "10.0.0.3:2222"
                                             << "10.0.0.4:2222 10.0.0.5:2222";
        QTest::addRow("name with a port") << "me@gpu-03.lab:2222"
                                          << "me@gpu-04.lab:2222 me@gpu-05.lab:2222";
        QTest::addRow("number of the user") << "me7@gpu"
                                            << "me7@gpu-2 me7@gpu-3";
        QTest::addRow("last but one address") << "10.0.0.254"
                                              << "10.0.0.255";
        QTest::addRow("no number") << "gpu"
                                   << "gpu-2 gpu-3";
    }
    void furtherNodesAreNamedOnFromTheLast()
    {
        QFETCH(QString, last);
        RunSpec spec;
        spec.cluster.nodes = {NodeSpec{last.toStdString(), 8, kGiB, "hgx-a100"}};
        duplicateLastNode(spec, 2);
        QStringList added;
        for (std::size_t i = 1; i < spec.cluster.nodes.size(); ++i) {
            added << QString::fromStdString(spec.cluster.nodes[i].host);
            QCOMPARE(spec.cluster.nodes[i].hardware, "hgx-a100");
            QCOMPARE(spec.cluster.nodes[i].slotCount, 8);
        }
        QTEST(added.join(' '), "added");
    }

    void furtherNodesTakeNoNameThatIsTaken()
    {
        RunSpec spec;
        spec.cluster.nodes = {NodeSpec{"b-3"}, NodeSpec{"b-2"}};
        duplicateLastNode(spec, 1);
        QCOMPARE(spec.cluster.nodes.back().host, "b-4");
        spec.launch.launcher = LauncherKind::Slurm;
        duplicateLastNode(spec, 1);
        QCOMPARE(spec.cluster.nodes.back().host, "b-4");
    }

    void scalingBeyondTheSlotsIsRefused()
    {
        const auto copy = scaledCopy(validSpec(), 2, Scaling::Strong);
        QVERIFY(!copy.ok());
        QCOMPARE(exitStatus(copy.error().kind), 3);
    }

    void scalingWithoutAMicroBatchIsAnError()
    {
        RunSpec spec = validSpec();
        spec.batch.micro = 0;
        const auto copy = scaledCopy(spec, 1, Scaling::Strong);
        QVERIFY(!copy.ok());
        QCOMPARE(copy.error().message, std::string("batch.micro: is 0"));
    }
};

QTEST_GUILESS_MAIN(TestSpecDocument)
#include "tst_spec_document.moc"
