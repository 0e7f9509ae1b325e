#include <algorithm>

#include <QAbstractItemView>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "app/designer/design_page.h"
#include "app/designer/phase_row_delegate.h"
#include "app/designer/phases_editor.h"
#include "app/designer/spec_form.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/table_view.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/presets.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

/// Two phases on a node whose speed and price are known.
RunSpec phasedSpec()
{
    RunSpec spec;
    spec.model = *modelPreset("bert-base");
    spec.cluster.nodes = {{"gpu-03", 8, 0, "p4d.24xlarge"}};
    spec.layout.data = 8;
    spec.batch = {.global = 512, .micro = 16, .accumulation = 4};
    spec.dataset.path = "/data/short";
    spec.launch.steps = 900;
    addPhase(spec);
    spec.phases[0].name = "short";
    spec.phases[1].name = "long";
    setPhaseSteps(spec, 1, 100);
    RunSpec second = specOfPhase(spec, 1);
    second.dataset.path = "/data/long";
    second.batch.micro = 8;
    second.batch.accumulation = 8;
    overrideInPhase(spec, 1, second);
    return spec;
}

RunSpec runOn(const std::string& folder)
{
    RunSpec spec = phasedSpec();
    spec.phases.clear();
    spec.dataset.path = folder;
    return spec;
}

RunSpec mixedRun()
{
    RunSpec spec = runOn({});
    spec.dataset.mix = {{"/data/wiki", 1}, {"/data/books", 1}};
    return spec;
}

DataSetEntry dataSet(const QString& folder, int length)
{
    DataSetEntry entry;
    entry.name = folder.section('/', -1);
    entry.host = "gpu-03";
    entry.folder = folder;
    entry.sequenceLength = length;
    entry.maxPredictions = length * 5 / 32;
    entry.vocabularySize = 30522;
    entry.rows = 20'000'000;
    entry.testRows = 20'000;
    return entry;
}

QToolButton* toolIn(const QWidget& parent, const QString& name)
{
    for (auto* tool : parent.findChildren<QToolButton*>()) {
        if (tool->accessibleName() == name)
            return tool;
    }
    return nullptr;
}

bool says(const QWidget& parent, const QString& text)
{
    const auto labels = parent.findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
}

} // namespace

/// Edits the phases of a run, and what it begins with, as a user does.
class TestDesignPhases : public QObject {
    Q_OBJECT

private slots:
    void init() { m_desk.start(); }
    void cleanup() { m_desk.end(); }

    void addsCopiesMovesAndRemovesPhases()
    {
        auto& page = show({});
        clickHeading(page, "Phases");
        click(page, "Add a phase");
        QCOMPARE(phaseCount(spec()), 2);
        QCOMPARE(list(page)->model()->rowCount(), 2);
        QVERIFY(says(page, "Phase 2 of 2"));
        press(page, "Copy the phase");
        QCOMPARE(phaseCount(spec()), 3);
        replaceText(field(page, "phases[2].name"), "last");
        press(page, "Move the phase up");
        QCOMPARE(spec().phases[1].name, "last");
        QVERIFY(says(page, "Phase 2 of 3: last"));
        press(page, "Remove the phase");
        QCOMPARE(phaseCount(spec()), 2);
        list(page)->setFocus();
        QTest::keyClick(list(page), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(spec().phases[1].name, "last");
    }

    void theRunsStepsAreThoseOfItsPhases()
    {
        auto& page = show(phasedSpec());
        QVERIFY(!field(page, "launch.steps")->isEnabled());
        replaceText(field(page, "phases[0].steps"), "700");
        QCOMPARE(spec().launch.steps, 800);
        QVERIFY(m_desk.session().document().isValid());
    }

    void aFieldThatIsEditedIsThePhasesOwnUntilItInheritsAgain()
    {
        auto& page = show(phasedSpec());
        choose(page, 0);
        auto* micro = static_cast<NumberBox*>(field(page, "phases[0].batch.micro"));
        QVERIFY(micro);
        auto* inherit = toolIn(page, "Reset to the run's value: Phase 1: Micro-batch");
        QVERIFY(inherit && !inherit->isVisible());
        replaceText(micro, "32");
        QVERIFY(isOverridden(spec(), 0, "batch.micro"));
        QCOMPARE(spec().batch.micro, 16);
        QCOMPARE(specOfPhase(spec(), 0).batch.global, 1024); // the equation holds, as in the run's own
        QVERIFY(inherit->isVisible());
        QTest::mouseClick(inherit, Qt::LeftButton);
        QVERIFY(!isOverridden(spec(), 0, "batch.micro"));
        QVERIFY(!isOverridden(spec(), 0, "batch.global"));
        QVERIFY(m_desk.session().document().isValid());
        QCOMPARE(micro->value(), 16);
        QVERIFY(!inherit->isVisible());
        QTest::keyClick(micro, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(isOverridden(spec(), 0, "batch.micro"));
        QCOMPARE(micro->value(), 32);
    }

    void whatThePhaseInheritsFollowsTheRun()
    {
        auto& page = show(phasedSpec());
        choose(page, 1);
        auto* rate = static_cast<QLineEdit*>(field(page, "phases[1].optimizer.learning_rate"));
        replaceText(field(page, "optimizer.learning_rate"), "0.002");
        QCOMPARE(rate->text(), "0.002");
        QVERIFY(!isOverridden(spec(), 1, "optimizer.learning_rate"));
    }

    void theListIsWalkedWithTheKeyboard()
    {
        auto& page = show(phasedSpec());
        list(page)->setFocus();
        QTest::keyClick(list(page), Qt::Key_Down);
        QVERIFY(says(page, "Phase 2 of 2: long"));
        QVERIFY(field(page, "phases[1].batch.micro"));
        QTest::keyClick(list(page), Qt::Key_Up);
        QVERIFY(says(page, "Phase 1 of 2: short"));
        QVERIFY(field(page, "phases[0].batch.micro"));
    }

    void memoryTimeAndCostAreShownOfEachPhaseAndOfAll()
    {
        m_desk.session().dataSets().put(dataSet("/data/short", 128));
        m_desk.session().dataSets().put(dataSet("/data/long", 512));
        auto& page = show(phasedSpec());
        const QAbstractItemModel& table = *list(page)->model();
        QCOMPARE(table.columnCount(), 5); // phase, steps, memory, time, cost
        QVERIFY(table.headerData(4, Qt::Horizontal).toString().startsWith("Cost, "));
        QVERIFY(table.index(0, 2).data() != table.index(1, 2).data());
        choose(page, 1);
        QVERIFY(says(page, "Sequences of 512 tokens. Evaluates on"));
        QVERIFY(says(page, "All phases: 1\u202f000 steps in all"));
        support::savePictures(page, "design-phases");
    }

    void theListHasRoomForTheNameOfAPhase()
    {
        m_desk.window().resize(1280, 800);
        RunSpec named = phasedSpec();
        named.phases[0].name = "pretraining-on-rows-of-128-tokens";
        auto& page = show(named);
        QCOMPARE(PhaseRowDelegate::shownName(*list(page), 0), "1: pretraining-on-rows-of-128-tokens");
        QCOMPARE(list(page)->rowHeight(0), PhaseRowDelegate::kTwoLines);
        replaceText(field(page, "phases[0].name"), QString(64, 'm'));
        const QString elided = PhaseRowDelegate::shownName(*list(page), 0);
        QVERIFY(elided.startsWith("1: mmm") && elided.endsWith("mmm") && elided.contains(QChar(0x2026)));
        named.phases[0].name.clear();
        named.phases[1].name.clear();
        m_desk.session().document().reset(named);
        QCOMPARE(list(page)->rowHeight(0), TableView::kRowHeight);
    }

    void theProblemOfAPhaseLeadsToItsField()
    {
        RunSpec wrong = phasedSpec();
        wrong.phases[1].batch.accumulation = 7;
        auto& page = show(wrong);
        QVERIFY(!buttonIn(page, "Launch")->isEnabled());
        const std::string path = m_desk.session().document().diagnostics().front().path;
        QVERIFY2(path.starts_with("phases[1].batch"), path.c_str());
        choose(page, 0);
        AWAIT(buttonIn(page, "Phase 2: Global batch")); // explained after a pause
        click(page, "Phase 2: Global batch");
        QVERIFY(says(page, "Phase 2 of 2: long"));
        QWidget* global = field(page, "phases[1].batch.global");
        QVERIFY(global && global->hasFocus());
        QVERIFY(global->property("invalid").toBool());
    }

    void aSuggestedSettingOfAPhaseKeepsTheOthers()
    {
        RunSpec wrong = phasedSpec();
        wrong.phases[1].batch.accumulation = 7;
        auto& page = show(wrong);
        QPushButton* remedy = nullptr;
        AWAIT((remedy = startingWith(page, "Set Phase 2: ")) != nullptr);
        QTest::mouseClick(remedy, Qt::LeftButton);
        QVERIFY(m_desk.session().document().isValid());
        QCOMPARE(phaseCount(spec()), 2);
        QVERIFY(specOfPhase(spec(), 0).batch == specOfPhase(wrong, 0).batch);
    }

    void aRecipeReplacesTheDesignAndItsHostsStay()
    {
        m_desk.session().dataSets().put(dataSet("/data/short", 128));
        m_desk.session().dataSets().put(dataSet("/data/long", 512));
        auto& page = show(phasedSpec());
        const RunSpec before = spec();
        auto* recipes = buttonIn(page, "New from a recipe");
        QVERIFY(recipes && !recipes->menu()->actions().isEmpty());
        recipes->menu()->actions().front()->trigger();
        QCOMPARE(spec().name, "bert-large-lamb");
        QVERIFY(spec().cluster == before.cluster);
        QCOMPARE(specOfPhase(spec(), 0).dataset.path, "/data/short");
        QCOMPARE(specOfPhase(spec(), 1).dataset.path, "/data/long");
        click(page, "Undo");
        QVERIFY(spec() == before);
    }

    void dataSetsAreMixedByWeight()
    {
        auto& page = show(runOn("/data/wiki"));
        QVERIFY(field(page, "dataset.path")->isVisible());
        click(page, "Mix with another data set");
        QVERIFY(!field(page, "dataset.path")->isVisible());
        QWidget* second = field(page, "dataset.mix[1].path");
        QVERIFY(second && second->hasFocus());
        QVERIFY(second->property("invalid").toBool());
        QVERIFY(says(page, "is empty")); // beside the field
        QTest::keyClicks(second, "/data/books");
        QVERIFY(!second->property("invalid").toBool());
        replaceText(field(page, "dataset.mix[0].weight"), "3");
        QVERIFY(spec().dataset.path.empty());
        QVERIFY((spec().dataset.mix == std::vector<MixedDataSet>{{"/data/wiki", 3}, {"/data/books", 1}}));
        QVERIFY(says(page, "75.0 %") && says(page, "25.0 %"));
        QVERIFY(m_desk.session().document().isValid());
        support::savePictures(page, "design-mix");
    }

    void aMixIsEditedWithTheKeyboardAndUndone()
    {
        auto& page = show(mixedRun());
        QWidget* weight = field(page, "dataset.mix[0].weight");
        weight->setFocus();
        QTest::keyClick(weight, Qt::Key_Tab);
        QToolButton* remove = toolIn(page, "Remove from the mix: Data set 1");
        QVERIFY(remove && remove->hasFocus());
        QTest::keyClick(remove, Qt::Key_Space);
        QCOMPARE(spec().dataset.path, "/data/books"); // the last one left
        QVERIFY(!spec().dataset.isMix());
        QWidget* path = field(page, "dataset.path");
        QVERIFY(path->isVisible());
        path->setFocus();
        QTest::keyClick(path, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(spec().dataset.mix.size(), std::size_t(2));
        QVERIFY(field(page, "dataset.mix[1].path")->isVisible());
        QVERIFY(!path->isVisible());
    }

    void problemsOfAMixAreBesideTheirFields()
    {
        m_desk.session().dataSets().put(dataSet("/data/wiki", 128));
        m_desk.session().dataSets().put(dataSet("/data/books", 512));
        auto& page = show(mixedRun());
        QWidget* second = field(page, "dataset.mix[1].path");
        QVERIFY(second->property("invalid").toBool()); // longer rows than those of the first
        QVERIFY(says(page, "prepare all data sets of a mix with the same"));
        m_desk.session().dataSets().put(dataSet("/data/books", 128));
        page.refresh();
        QVERIFY(!second->property("invalid").toBool());
        QWidget* weight = field(page, "dataset.mix[1].weight");
        replaceText(weight, "0");
        QVERIFY(weight->property("invalid").toBool());
        replaceText(weight, "much");
        QVERIFY(says(page, "\"much\" is not a number"));
        page.findChild<SpecForm*>()->focusField("dataset.mix[0].path");
        QVERIFY(field(page, "dataset.mix[0].path")->hasFocus());
    }

    void aPhaseMixesDataSetsUntilItInheritsAgain()
    {
        auto& page = show(phasedSpec());
        choose(page, 0);
        auto* form = page.findChild<PhasesEditor*>();
        click(*form, "Mix with another data set");
        QWidget* second = field(page, "phases[0].dataset.mix[1].path");
        QVERIFY(second && second->hasFocus());
        QTest::keyClicks(second, "/data/books");
        QVERIFY(isOverridden(spec(), 0, "dataset.mix"));
        QCOMPARE(spec().dataset.path, "/data/short");
        QCOMPARE(specOfPhase(spec(), 0).dataset.mix.size(), std::size_t(2));
        QCOMPARE(specOfPhase(spec(), 1).dataset.path, "/data/long");
        QVERIFY(m_desk.session().document().isValid());
        press(page, "Reset to the run's value: Phase 1: Mix of data sets");
        QVERIFY(!isOverridden(spec(), 0, "dataset.mix"));
        QVERIFY(field(page, "phases[0].dataset.path")->isVisible());
        QVERIFY(!field(page, "phases[0].dataset.mix[0].path"));
    }

    void aPhaseInheritsTheRunsMix()
    {
        auto& page = show(phasedSpec());
        choose(page, 0);
        page.findChild<SpecForm*>()->focusField("dataset.path");
        m_desk.session().document().editAtOnce("Mix", "dataset", [](RunSpec& run) {
            run.dataset = {.path = {}, .mix = {{"/data/short", 1}, {"/data/books", 1}}};
        });
        auto* weight = static_cast<QLineEdit*>(field(page, "phases[0].dataset.mix[1].weight"));
        QVERIFY(weight);
        replaceText(field(page, "dataset.mix[1].weight"), "4");
        QCOMPARE(weight->text(), "4");
        replaceText(weight, "2"); // from now on its own
        QVERIFY(isOverridden(spec(), 0, "dataset.mix"));
        QCOMPARE(spec().dataset.mix[1].weight, 4.0);
        QCOMPARE(specOfPhase(spec(), 0).dataset.mix[1].weight, 2.0);
    }

    void startingWeightsAreChosenAmongTheRuns()
    {
        support::SampleRun sample;
        QVERIFY(!support::writeSampleRun(m_desk.path("data/runs"), sample).isEmpty());
        m_desk.open();
        auto& page = show(phasedSpec());
        auto* menu = toolIn(page, "Choose the starting weights")->menu();
        emit menu->aboutToShow();
        const auto actions = menu->actions();
        const auto run = std::ranges::find_if(
            actions, [](const QAction* action) { return action->text().startsWith("bert-tiny"); });
        QVERIFY(run != actions.end());
        (*run)->trigger();
        QVERIFY(QString::fromStdString(spec().init.path).endsWith("-bert-tiny-0001"));
        AWAIT(says(page, "launch looks at it on the host"));
        emit menu->aboutToShow();
        menu->actions().back()->trigger();
        QVERIFY(!spec().init.isOn());
    }

    void foldersOfThisMachineAreAskedForByWhatTheyHold()
    {
        auto& page = show(runOn("/data/wiki"));
        QCOMPARE(titleOfDialogOf(page, "Choose the starting weights"), "Choose a model or checkpoint folder");
        QCOMPARE(titleOfDialogOf(page, "Choose a data set"), "Choose a data set folder");
    }

    void aFolderWithoutWeightsIsAProblemOfTheField()
    {
        QTemporaryDir folder;
        auto& page = show(phasedSpec());
        page.findChild<SpecForm*>()->focusField("init.path");
        replaceText(field(page, "init.path"), folder.path());
        AWAIT(says(page, "There are no weights in") || says(page, "there are no weights in"));
        QVERIFY(!buttonIn(page, "Launch")->isEnabled());
        support::savePictures(page, "design-no-weights");
        replaceText(field(page, "init.path"), "/no/such/folder");
        AWAIT(says(page, "launch looks at it on the host"));
        AWAIT(buttonIn(page, "Launch")->isEnabled());
    }

private:
    const RunSpec& spec() { return m_desk.session().document().spec(); }
    DesignPage& show(const RunSpec& design)
    {
        m_desk.session().document().reset(design);
        return m_desk.goTo<DesignPage>();
    }
    static QTableView* list(DesignPage& page)
    {
        return page.findChild<PhasesEditor*>()->findChild<QTableView*>();
    }
    static QWidget* field(DesignPage& page, const QString& path) { return page.findChild<QWidget*>(path); }
    static void choose(DesignPage& page, int phase) { page.findChild<PhasesEditor*>()->choose(phase); }
    static void press(DesignPage& page, const QString& tool)
    {
        QToolButton* button = toolIn(page, tool);
        QVERIFY2(button && button->isEnabled(), qPrintable(tool));
        QTest::mouseClick(button, Qt::LeftButton);
    }
    /// Of the file dialog that the button's menu opens for folders of this machine; leaves it again.
    static QString titleOfDialogOf(DesignPage& page, const QString& button)
    {
        QMenu* menu = toolIn(page, button)->menu();
        emit menu->aboutToShow();
        const auto actions = menu->actions();
        const auto here = std::ranges::find(actions, QString("Folder on this machine…"), &QAction::text);
        QString title;
        QTimer look;
        connect(&look, &QTimer::timeout, &look, [&title] {
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
                title = dialog->windowTitle();
                dialog->reject();
            }
        });
        look.start(10);
        if (here != actions.end())
            (*here)->trigger();
        return title;
    }
    static void clickHeading(DesignPage& page, const QString& heading) { press(page, heading); }
    static QPushButton* startingWith(const DesignPage& page, const QString& name)
    {
        for (auto* button : page.findChildren<QPushButton*>()) {
            if (button->isVisible() && button->accessibleName().startsWith(name))
                return button;
        }
        return nullptr;
    }

    PageFixture m_desk;
};

QTEST_MAIN(TestDesignPhases)
#include "tst_design_phases.moc"
