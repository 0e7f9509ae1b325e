#include <algorithm>
#include <ctime>
#include <limits>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTest>
#include <QToolButton>

#include <nlohmann/json.hpp>

#include "app/designer/design_page.h"
#include "app/designer/settings_exchange.h"
#include "app/designer/spec_field.h"
#include "app/designer/spec_form.h"
#include "app/hosts/hosts_page.h"
#include "app/widgets/delegates.h"
#include "app/widgets/input_boxes.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "engine/base/file.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "tests/gui/page_fixture.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

QPushButton* buttonWith(QWidget& parent, const QString& text)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->text().contains(text))
            return button;
    }
    return nullptr;
}

/// 175B on 128 hosts of eight devices.
RunSpec thousandDevices()
{
    RunSpec spec;
    spec.model = *modelPreset("gpt-175b");
    spec.precision.compute = ComputeType::BFloat16;
    spec.cluster.nodes.clear();
    for (int node = 0; node < 128; ++node)
        spec.cluster.nodes.push_back({"node-" + std::to_string(node), 8, 0, "hgx-a100"});
    spec.layout = {.data = 8, .tensor = 8, .pipeline = 16};
    spec.batch = {.global = 1536, .micro = 1, .accumulation = 192};
    return spec;
}

QLabel* labelIn(const QWidget& parent, const QString& text)
{
    for (auto* label : parent.findChildren<QLabel*>()) {
        if (label->text() == text && label->isVisible())
            return label;
    }
    return nullptr;
}

QLabel* labelNamed(const QWidget& parent, const QString& name)
{
    for (auto* label : parent.findChildren<QLabel*>()) {
        if (label->accessibleName() == name)
            return label;
    }
    return nullptr;
}

QMenu* menuOf(const QWidget& parent, const QString& button)
{
    for (auto* tool : parent.findChildren<QToolButton*>()) {
        if (tool->accessibleName() == button)
            return tool->menu();
    }
    return nullptr;
}

bool labelContaining(const QWidget& parent, const QString& text)
{
    const auto labels = parent.findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
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

    void aHostIsShownFromItsBeginning()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto* host = page.findChild<QComboBox*>("cluster.nodes[0].host");
        QCOMPARE(host->currentText(), QString("localhost"));
        QCOMPARE(host->lineEdit()->cursorPosition(), 0);
    }

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

    void everySettingHasAControlThatTheKeyboardReaches()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto root = nlohmann::json::parse(toJson(RunSpec{})).flatten();
        for (const auto& [pointer, value] : root.items()) {
            // "/cluster/nodes/0/host" -> "cluster.nodes[0].host"
            QString path = QString::fromStdString(pointer).mid(1).replace('/', '.');
            path.replace(QRegularExpression("\\.(\\d+)\\."), "[\\1].");
            if (path == "trainyard")
                continue;
            const auto controls = page.findChildren<QWidget*>(path);
            QVERIFY2(controls.size() == 1, qPrintable(path));
            QVERIFY2(controls.front()->focusPolicy() & Qt::TabFocus, qPrintable(path));
            QVERIFY2(!controls.front()->accessibleName().isEmpty(), qPrintable(path));
            QVERIFY2(!controls.front()->toolTip().isEmpty(), qPrintable(path));
        }
    }

    void everyFieldShowsWhatItSets()
    {
        const RunSpec before;
        RunSpec spec;
        for (const SpecSection& section : specSections()) {
            for (const SpecField& field : section.fields) {
                const QVariant shown = field.get(spec);
                const QVariant other =
                    field.kind == SpecField::Kind::Choice
                        ? QVariant(field.choices[field.choices.indexOf(shown.toString()) == 0 ? 1 : 0])
                    : field.kind == SpecField::Kind::Text ? QVariant("7")
                                                          : QVariant(shown.toDouble() + 2);
                field.set(spec, other);
                QVERIFY2(spec != before, qPrintable(field.path));
                if (field.path != "model.preset") // becomes "own values" when anything differs
                    QCOMPARE(field.get(spec).toString(), other.toString());
                spec = before;
            }
        }
    }

    void aPresetLeavesTheVocabularyToTheDataSet()
    {
        SpecDocument& document = m_desk.session().document();
        auto& page = m_desk.goTo<DesignPage>();
        auto* preset = page.findChild<QComboBox*>("model.preset");
        preset->setCurrentText("bert-base");
        QCOMPARE(document.spec().model.vocabulary, 30522);
        document.edit("Data set", "dataset.path", [](RunSpec& spec) {
            spec.dataset.path = "/data/set";
            spec.model.vocabulary = 2093;
        });
        preset->setCurrentText("bert-tiny");
        QCOMPARE(document.spec().model.layers, modelPreset("bert-tiny")->layers);
        QCOMPARE(document.spec().model.vocabulary, 2093);
        QCOMPARE(preset->currentText(), "bert-tiny");
    }

    void thisMachineNeedsNoCheckToBeTooSmall()
    {
        RunSpec spec;
        spec.model = *modelPreset("gpt-1t");
        spec.dataset.path = "/data/set";
        m_desk.session().document().reset(spec);
        auto& page = m_desk.goTo<DesignPage>();
        QVERIFY(labelContaining(page, "Does not fit"));
        QVERIFY(!buttonIn(page, "Launch")->isEnabled());
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

    void hardwareIsListedWithWhatItIs()
    {
        auto& page = m_desk.goTo<DesignPage>();
        const auto* box = page.findChild<QComboBox*>("cluster.nodes[0].hardware");
        const int row = box->findText("p4d.24xlarge");
        QVERIFY(row > 0);
        QVERIFY(box->itemData(row, DetailDelegate::kDetailRole).toString().contains("A100 of 40 GB"));
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

    void theUnitOfANumberIsSingularBesideOne()
    {
        for (const auto& [unit, singular] :
             {std::pair{"files", "1 file"}, {"passes", "1 pass"}, {"per rank", "1 per rank"}}) {
            NumberBox box(0, 10, unit);
            box.setValue(1);
            QCOMPARE(box.text(), singular);
            box.setValue(2);
            QCOMPARE(box.text(), QStringLiteral("2 ") + unit);
            box.showValue(1);
            QCOMPARE(box.text(), singular);
        }
    }

    void aZeroThatMeansOffReadsSo()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* keep = page.findChild<NumberBox*>("checkpoint.keep_every");
        QCOMPARE(keep->text(), "Off");
        keep->setFocus();
        QTest::keyClick(keep, Qt::Key_End);
        QTest::keyClicks(keep, "25");
        QCOMPARE(document.spec().checkpoint.keepEvery, 25);
        QCOMPARE(keep->text(), "25 steps");
        replaceText(keep, "0");
        QTest::keyClick(keep, Qt::Key_Return);
        QCOMPARE(document.spec().checkpoint.keepEvery, 0);
        QCOMPARE(keep->text(), "Off");
        QTest::keyClick(keep, Qt::Key_End);
        QTest::keyClick(keep, Qt::Key_Backspace);
        QTest::keyClicks(keep, "7");
        QCOMPARE(document.spec().checkpoint.keepEvery, 7);
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

    void hostsAreAddedLikeTheLast()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* hardware = page.findChild<QComboBox*>("cluster.nodes[0].hardware");
        QVERIFY(hardware->findText("hgx-a100") > 0);
        const RunSpec before = document.spec();
        hardware->setCurrentText("hgx-a100");
        QCOMPARE(document.spec().cluster.nodes[0].hardware, "hgx-a100");
        QCOMPARE(document.spec().cluster.nodes[0].slotCount, 8); // its devices
        document.undoStack().undo();
        QCOMPARE(toJson(document.spec()), toJson(before));
        QCOMPARE(hardware->currentIndex(), 0);
        document.undoStack().redo();

        replaceText(page.findChild<QComboBox*>("cluster.nodes[0].host"), "node001");
        for (auto* box : page.findChildren<NumberBox*>()) {
            if (box->accessibleName() == "Number of hosts to add")
                box->setValue(127);
        }
        click(page, "Duplicate the last host");
        QCOMPARE(document.spec().cluster.nodes.size(), std::size_t(128));
        QCOMPARE(document.spec().cluster.nodes.back().host, "node128");
        QVERIFY(!page.findChild<QComboBox*>("cluster.nodes[127].host"));
        QPushButton* more = buttonWith(page, "more hosts");
        QVERIFY(more && more->isVisible());
        more->click();
        QVERIFY(page.findChild<QComboBox*>("cluster.nodes[127].host"));
        document.undoStack().undo();
        QCOMPARE(document.spec().cluster.nodes.size(), std::size_t(1));
    }

    void aHostBeyondTheFirstRowsIsShownWhenItIsAdded()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.reset(thousandDevices());
        click(page, "Add a host");
        auto* added = page.findChild<QComboBox*>("cluster.nodes[128].host");
        QVERIFY(added);
        AWAIT(added->isVisible());
        AWAIT(added->hasFocus() || added->isAncestorOf(QApplication::focusWidget()));
    }

    void anyPartOfAGibibyteIsALimit()
    {
        auto& page = m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        auto* memory = page.findChild<MemoryBox*>("cluster.nodes[0].memory");
        QCOMPARE(memory->text(), "none");
        replaceText(memory, "0.5");
        QCOMPARE(document.spec().cluster.nodes[0].memory, kGiB / 2);
        document.undoStack().undo();
        QCOMPARE(document.spec().cluster.nodes[0].memory, Bytes{0});
        document.edit("Memory", "cluster.nodes[0].memory",
                      [](RunSpec& spec) { spec.cluster.nodes[0].memory = 300 * kMiB; });
        QCOMPARE(memory->text(), "0.292969");
        QCOMPARE(document.spec().cluster.nodes[0].memory, 300 * kMiB); // shown, and not changed by that
    }

    void everyFieldSaysItsDefaultAndManyWhereTheyAreFrom()
    {
        int sourced = 0;
        for (const SpecSection& section : specSections()) {
            for (const SpecField& field : section.fields) {
                QVERIFY2(field.help().contains("Default: "), qPrintable(field.path));
                sourced += field.source.contains("arXiv:") ? 1 : 0;
            }
        }
        QVERIFY(sourced > 30);
        auto& page = m_desk.goTo<DesignPage>();
        page.findChild<SpecForm*>()->focusField("memory.zero_stage");
        auto* help = labelNamed(page, "Field help");
        QVERIFY2(help->text().contains("https://arxiv.org/abs/1910.02054"), qPrintable(help->text()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(!help->text().contains("1910.02054"));
    }

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

    void nothingIsCutOffInASmallWindow()
    {
        m_desk.window().resize(1280, 800);
        auto& page = m_desk.goTo<DesignPage>();
        m_desk.session().document().reset(thousandDevices());
        QApplication::processEvents();
        for (auto* scroll : page.findChildren<QScrollArea*>()) {
            if (scroll->widget() && scroll->isVisible())
                QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(),
                         qPrintable(scroll->widget()->metaObject()->className()));
        }
    }

    void hardwareThatWasMeasuredSinceIsOffered()
    {
        auto* hardware = m_desk.goTo<DesignPage>().findChild<QComboBox*>("cluster.nodes[0].hardware");
        QVERIFY(hardware->findText("lab") < 0);
        m_desk.goTo<HostsPage>();
        QVERIFY(m_desk.session().hardware().store("lab", *nodePreset("cpu-node")).ok());
        m_desk.goTo<DesignPage>();
        QVERIFY(hardware->findText("lab") > 0);
        QCOMPARE(hardware->currentIndex(), 0);
    }

    void aPresetFillsTheModel()
    {
        auto& page = m_desk.goTo<DesignPage>();
        auto* preset = page.findChild<QComboBox*>("model.preset");
        preset->setFocus();
        QApplication::setKeyboardInputInterval(
            kPatienceMs); // one word, however slowly a busy machine types it
        QTest::keyClicks(preset, "bert-large");
        QCOMPARE(m_desk.session().document().spec().model.layers, 24);
        QCOMPARE(page.findChild<NumberBox*>("model.hidden")->value(), 1024);
    }

    /// An edit has 16 ms; five times that leaves room for slow machines and builds.
    void anEditOfAThousandDevicesIsAnsweredAtOnce()
    {
        constexpr double kMost = 5 * 0.016; // s of processor time
        constexpr int kEdits = 20;
        m_desk.goTo<DesignPage>();
        SpecDocument& document = m_desk.session().document();
        document.reset(thousandDevices());
        QApplication::processEvents();
        const std::clock_t before = std::clock();
        for (int edit = 0; edit < kEdits; ++edit) {
            document.edit("Micro-batch", "batch.micro",
                          [&](RunSpec& spec) { spec.batch.micro = 1 + edit % 2; });
            QApplication::processEvents(); // layouts and painting
        }
        const double each = double(std::clock() - before) / CLOCKS_PER_SEC / kEdits;
        qInfo("%.1f ms an edit", each * 1000);
        QVERIFY(each < kMost);
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
