#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include "app/designer/design_page.h"
#include "app/designer/spec_form.h"
#include "app/widgets/input_boxes.h"
#include "engine/base/file.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QMenu* menuOf(const QWidget& parent, const QString& button)
{
    for (auto* tool : parent.findChildren<QToolButton*>()) {
        if (tool->accessibleName() == button)
            return tool->menu();
    }
    return nullptr;
}

/// The manifest of labelled rows.
void writeLabelledSet(const QString& folder)
{
    QVERIFY(QDir().mkpath(folder));
    const auto written =
        writeFileAtomically((folder + "/manifest.json").toStdString(),
                            R"({"version":1,"sequence_length":64,"max_predictions":0,"vocabulary_size":97,
            "vocabulary_sha256":"07ec","settings":{"objective":"classify"},"task":{"labels":["a","b","c"]},
            "statistics":{"documents":110,"tokens":5000,"row_tokens":5000},
            "shards":[{"file":"a","rows":100,"sha256":"","training":true},
                      {"file":"b","rows":10,"sha256":"","training":false}]})");
    QVERIFY(written.ok());
}

} // namespace

/// The data set of a specification, and what its rows set in the form.
class TestDesignData : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void aKnownDataSetIsChosenFromTheForm()
    {
        auto& page = m_desk.goTo<DesignPage>();
        DataSetEntry entry;
        entry.name = "wiki";
        entry.host = "localhost";
        entry.folder = "/data/wiki";
        entry.vocabularySize = 30000;
        entry.sequenceLength = 128;
        m_desk.session().dataSets().put(entry);
        auto* menu = menuOf(page, "Choose a data set");
        emit menu->aboutToShow();
        QVERIFY2(menu->actions().front()->text().contains("wiki"),
                 qPrintable(menu->actions().front()->text()));
        menu->actions().front()->trigger();
        QCOMPARE(m_desk.session().document().spec().dataset.path, "/data/wiki");
        QCOMPARE(m_desk.session().document().spec().model.vocabulary, 30000);
    }

    void theFormSaysWhenTheRunEvaluates()
    {
        DataSetEntry entry;
        entry.name = "set";
        entry.host = "localhost";
        entry.folder = "/data/set";
        entry.sequenceLength = 128;
        entry.rows = 20'000;
        entry.testRows = 1000;
        m_desk.session().dataSets().put(entry);
        RunSpec spec;
        spec.dataset.path = "/data/set";
        spec.launch.steps = 1000;
        m_desk.session().document().reset(spec);
        auto& page = m_desk.goTo<DesignPage>();
        QVERIFY(labelContaining(page, "Evaluates on 160 test rows every 100 steps"));
        replaceText(page.findChild<NumberBox*>("evaluation.every_steps"), "250");
        QVERIFY(labelContaining(page, "every 250 steps, 4 times in all"));
        replaceText(page.findChild<NumberBox*>("evaluation.batches"), "0");
        QVERIFY(labelContaining(page, "The run does not evaluate."));
        m_desk.session().document().reset(spec);
        replaceText(page.findChild<QLineEdit*>("evaluation.dataset"), "/data/other");
        QVERIFY(labelContaining(page, "its number of test rows is unknown"));
        replaceText(page.findChild<QLineEdit*>("evaluation.target"), "2.5");
        page.findChild<SpecForm*>()->focusField("evaluation.target");
        support::savePictures(page, "design-evaluation");
    }

    /// Neither is in the list of Data.
    void aFolderWithLabelledRowsSetsTheTask()
    {
        const QString folder = m_desk.path("reviews");
        writeLabelledSet(folder);
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        const RunSpec before = document.spec();
        emit page.findChild<SpecForm*>()->dataSetFolderChosen(folder); // its dialog is the system's
        QCOMPARE(document.spec().dataset.path, folder.toStdString());
        QCOMPARE(document.spec().model.task.kind, TaskKind::Classify);
        QCOMPARE(document.spec().model.task.labels, 3);
        QCOMPARE(document.spec().model.vocabulary, 97);
        QVERIFY(labelContaining(page, "The task was set: 3 classes."));
        document.undoStack().undo();
        QVERIFY(document.spec() == before);
        emit page.findChild<SpecForm*>()->dataSetFolderChosen("/nowhere/set");
        QCOMPARE(document.spec().dataset.path, "/nowhere/set");
        QVERIFY(document.spec().model.task == before.model.task);
    }

    void aTypedFolderWithLabelledRowsIsAProblemForAnotherTask()
    {
        const QString folder = m_desk.path("reviews");
        writeLabelledSet(folder);
        auto& page = m_desk.goTo<DesignPage>();
        QLineEdit* path = page.findChild<QLineEdit*>("dataset.path");
        replaceText(path, folder);
        AWAIT(labelContaining(page, "are for classify"));
        SpecDocument& document = m_desk.session().document();
        document.edit("Task", "task.kind", [](RunSpec& spec) {
            spec.model.task.kind = TaskKind::Classify;
            spec.model.task.labels = 2;
        });
        AWAIT(!labelContaining(page, "are for classify"));
        AWAIT(labelContaining(page, "has 3 labels"));
        // Of another machine nothing is known here.
        document.edit("Host", "cluster.nodes",
                      [](RunSpec& spec) { spec.cluster.nodes.front().host = "elsewhere"; });
        AWAIT(!labelContaining(page, "has 3 labels"));
    }

private:
    PageFixture m_desk;
};

QTEST_MAIN(TestDesignData)
#include "tst_design_data.moc"
