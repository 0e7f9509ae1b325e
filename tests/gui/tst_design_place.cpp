#include <limits>

#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>

#include "app/designer/design_page.h"
#include "app/designer/settings_exchange.h"
#include "app/designer/spec_form.h"
#include "app/widgets/input_boxes.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "engine/base/file.h"
#include "engine/spec/presets.h"
#include "tests/gui/page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QLabel* labelIn(const QWidget& parent, const QString& text)
{
    for (auto* label : parent.findChildren<QLabel*>()) {
        if (label->text() == text && label->isVisible())
            return label;
    }
    return nullptr;
}

QPushButton* buttonStartingWith(const QWidget& parent, const QString& name)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->isVisible() && button->accessibleName().startsWith(name))
            return button;
    }
    return nullptr;
}

} // namespace

/// Edits specifications as a user does.
class TestDesignPlace : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void theDesignIsThereAgainWhenTheWindowOpens()
    {
        replaceText(m_desk.goTo<DesignPage>().findChild<QLineEdit*>("dataset.path"), "/data/set");
        const RunSpec designed = m_desk.session().document().spec();
        m_desk.open();
        QCOMPARE(m_desk.session().document().spec(), designed);
    }

    void whatIsWrongIsSaidUnderTheFieldWhileTyping()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* launch = buttonIn(page, "Launch");
        QVERIFY(!launch->isEnabled()); // no data set yet
        replaceText(page.findChild<QLineEdit*>("dataset.path"), "/data/set");
        QVERIFY(document.isValid());
        QVERIFY(launch->isEnabled());
        auto* heads = page.findChild<NumberBox*>("model.heads");
        replaceText(heads, "3");
        QVERIFY(!document.isValid());
        QCOMPARE(document.diagnostics().front().path, "model.heads");
        QVERIFY(heads->property("invalid").toBool());
        QVERIFY(!launch->isEnabled());
        QVERIFY(!launch->toolTip().isEmpty());
        replaceText(page.findChild<QLineEdit*>("optimizer.learning_rate"), "fast");
        QVERIFY(page.findChild<QLineEdit*>("optimizer.learning_rate")->property("invalid").toBool());
    }

    void whateverNumberIsTypedIsJudgedAtOnce()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.edit("Pipeline", "layout.pipeline", [](RunSpec& spec) { spec.layout.pipeline = 2; });
        document.closeEdit();
        const RunSpec before = document.spec();
        QElapsedTimer clock;
        clock.start();
        for (auto* box : page.findChild<SpecForm*>()->findChildren<NumberBox*>()) {
            for (const int number : {0, 1'000'000, std::numeric_limits<int>::max()}) {
                box->setValue(number);
                document.closeEdit();
                if (document.spec() != before)
                    document.undoStack().undo();
            }
            QVERIFY2(document.spec() == before, qPrintable(box->objectName()));
        }
        QVERIFY2(clock.elapsed() < kPatienceMs, qPrintable(QString::number(clock.elapsed())));
    }

    void aProblemInAFoldedSectionIsShownWhenItIsChosen()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.edit("Beta 1", "optimizer.beta1", [](RunSpec& spec) { spec.optimizer.beta1 = 2; });
        auto* beta = page.findChild<QLineEdit*>("optimizer.beta1");
        QVERIFY(!beta->isVisible());
        page.findChild<SpecForm*>()->focusField("optimizer.beta1");
        QVERIFY(beta->isVisible());
        QVERIFY(beta->hasFocus());
        QVERIFY(beta->property("invalid").toBool());
    }

    void undoWorksFromInsideAField()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* name = page.findChild<QLineEdit*>("name");
        replaceText(name, "abc");
        QCOMPARE(document.spec().name, "abc");
        QTest::keyClick(name, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(document.spec().name, "run");
        QCOMPARE(name->text(), "run");
        QTest::keyClick(name, Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(document.spec().name, "abc");
    }

    void theBatchIsSolved()
    {
        auto& page = m_desk.goTo<DesignPage>();
        replaceText(page.findChild<NumberBox*>("layout.data"), "2");
        QCOMPARE(page.findChild<NumberBox*>("batch.global")->value(), 64);
        replaceText(page.findChild<NumberBox*>("batch.global"), "1024");
        QCOMPARE(m_desk.session().document().spec().batch.accumulation, 64);
        QCOMPARE(page.findChild<NumberBox*>("batch.global")->value(), 1024);
    }

    void oneClickSetsWhatWorksAndOneUndoTakesItBack()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.edit("Heads", "model.heads", [](RunSpec& spec) { spec.model.heads = 3; });
        const RunSpec before = document.spec();
        AWAIT(buttonIn(page, "Set Attention heads to 2") && buttonIn(page, "Set Attention heads to 4"));
        auto* equation = labelIn(page, "hidden 128 % heads 3 = 2, must be 0");
        QVERIFY(equation && equation->isVisible());
        click(page, "Set Attention heads to 2");
        QCOMPARE(document.spec().model.heads, 2);
        QVERIFY(!buttonIn(page, "Set Attention heads to 4")); // it answered another specification
        document.undoStack().undo();
        QVERIFY(document.spec() == before);
    }

    void whatDoesNotFitIsExplainedByItsCategories()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        RunSpec spec;
        spec.dataset.path = "/data/set";
        spec.model = *modelPreset("bert-large");
        spec.cluster.nodes = {{"a", 8, 0, "p3.16xlarge"}};
        spec.layout.data = 8;
        spec.batch = {8 * 64, 64, 1};
        spec.launch.device = DeviceKind::Cuda;
        document.reset(spec);
        AWAIT(labelContaining(page, " > 14.7 GiB")); // 0.92 of 16 GiB
        QVERIFY(labelContaining(page, "Does not fit"));
        QVERIFY(!buttonIn(page, "Launch")->isEnabled());
        QPushButton* recompute = nullptr;
        AWAIT(recompute = buttonStartingWith(page, "Set Recompute"));
        QVERIFY2(recompute->toolTip().contains("GiB"), qPrintable(recompute->toolTip()));
        recompute->click();
        QVERIFY(!labelContaining(page, "Does not fit"));
        QVERIFY(buttonIn(page, "Launch")->isEnabled());
    }

    void settingsOfAnotherToolAreTakenOverInOneStep()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        const RunSpec before = document.spec();
        const QString file = m_desk.path("ds_config.json");
        QVERIFY(writeFileAtomically(file.toStdString(), R"({"train_micro_batch_size_per_gpu": 2,
            "gradient_clipping": 0.25, "wall_clock_breakdown": true})")
                    .ok());
        auto* exchange = page.findChild<SettingsExchange*>();
        exchange->importFile(ForeignTool::DeepSpeed, file);
        QCOMPARE(document.spec().optimizer.clipNorm, 0.25);
        QCOMPARE(document.spec().batch.micro, 2);
        auto* list = page.findChild<PageFrame*>()->messageBar()->findChild<QPlainTextEdit*>();
        QVERIFY(list && list->isVisible());
        QVERIFY2(list->toPlainText().contains("wall_clock_breakdown = true"),
                 qPrintable(list->toPlainText()));
        document.undoStack().undo();
        QVERIFY(document.spec() == before);

        exchange->importFile(ForeignTool::DeepSpeed, m_desk.path("no such.json"));
        QVERIFY(page.findChild<PageFrame*>()->messageBar()->text().contains("no such.json"));
        QVERIFY(document.spec() == before);
    }

    void whatAnExportLeavesOutIsListed()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* exchange = page.findChild<SettingsExchange*>();
        auto* messages = page.findChild<PageFrame*>()->messageBar();
        const QString file = m_desk.path("pretrain.sh");
        exchange->exportFile(ForeignTool::Megatron, file); // no data set yet
        QVERIFY(messages->text().contains("dataset.path"));
        QVERIFY(!QFile::exists(file));
        document.edit("Data set", "dataset.path", [](RunSpec& spec) { spec.dataset.path = "/data/set"; });
        exchange->exportFile(ForeignTool::Megatron, file);
        const auto written = readFile(file.toStdString());
        QVERIFY(written.ok() && written->find("--num-layers 2") != std::string::npos);
        auto* list = messages->findChild<QPlainTextEdit*>();
        QVERIFY(list && list->toPlainText().contains("dataset.path"));
    }

    void anUnreadableSpecificationIsSaidInThePlace()
    {
        auto& page = m_desk.goTo<DesignPage>();
        page.openFile(m_desk.path("no such.json"));
        auto* messages = page.findChild<PageFrame*>()->messageBar();
        QVERIFY(messages->isVisible());
        QVERIFY(messages->text().contains("no such.json"));
    }

private:
    PageFixture m_desk;
};

QTEST_MAIN(TestDesignPlace)
#include "tst_design_place.moc"
