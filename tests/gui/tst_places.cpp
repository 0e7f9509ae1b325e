#include <algorithm>

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <nlohmann/json.hpp>

#include "app/data/data_place.h"
#include "app/data/data_set_panel.h"
#include "app/data/fact_table.h"
#include "app/data/prepare_form.h"
#include "app/data/prepare_panel.h"
#include "app/data/sample_browser.h"
#include "app/designer/design_place.h"
#include "app/designer/spec_field.h"
#include "app/designer/spec_form.h"
#include "app/designer/verdict_panel.h"
#include "app/hosts/add_host_bar.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/hosts_place.h"
#include "app/shell/command_palette.h"
#include "app/shell/desk_window.h"
#include "app/widgets/message_strip.h"
#include "app/widgets/number_box.h"
#include "app/widgets/page_frame.h"
#include "app/widgets/table_view.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/desk_run.h"

using namespace trainyard;

namespace {

constexpr int kPatienceMs = 30'000;

QPushButton* buttonIn(QWidget& parent, const QString& name)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->isVisibleTo(&parent) && button->accessibleName() == name)
            return button;
    }
    return nullptr;
}

void click(QWidget& parent, const QString& name)
{
    QPushButton* button = buttonIn(parent, name);
    QVERIFY2(button, qPrintable("there is no button " + name));
    QTest::mouseClick(button, Qt::LeftButton);
}

void replaceText(QWidget* field, const QString& text)
{
    field->setFocus();
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, text);
}

QWidget* fieldNamed(QWidget& parent, const QString& name)
{
    for (auto* field : parent.findChildren<QLineEdit*>()) {
        if (field->accessibleName() == name)
            return field;
    }
    return nullptr;
}

bool nodeProgramsAreBuilt()
{
#ifdef TRAINYARD_HAS_NODE_PROGRAMS
    return true;
#else
    const QString folder = qEnvironmentVariable("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
    return QFile::exists(folder + "/trainyard-agent") && QFile::exists(folder + "/trainyard-prepare");
#endif
}

/// What a screen reader says of a control: its accessible name, or the text that a button shows.
QString spokenName(QWidget* widget)
{
    const auto* interface = QAccessible::queryAccessibleInterface(widget);
    return interface ? interface->text(QAccessible::Name) : QString();
}

} // namespace

/// Drives the window as a user does, with keys and the mouse; hosts are this machine, through the real agent.
class TestPlaces : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_folder->filePath("data").toLocal8Bit());
        qputenv("TRAINYARD_HOME", m_folder->filePath("home").toLocal8Bit());
        if (!qEnvironmentVariableIsSet("TRAINYARD_BIN"))
            qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        openWindow();
    }

    void cleanup()
    {
        endRuns();
        m_desk.reset();
        QTRY_COMPARE_WITH_TIMEOUT(processesOfThisTest(), QStringList(), kPatienceMs);
        m_folder.reset();
        if (!m_nodePrograms.isEmpty())
            qputenv("TRAINYARD_BIN", std::exchange(m_nodePrograms, {}));
    }

    void keysLeadToThePlaces()
    {
        MainWindow& window = m_desk->window();
        for (const auto& [key, title] :
             {std::pair{Qt::Key_3, "Design"}, {Qt::Key_2, "Data"}, {Qt::Key_1, "Hosts"}}) {
            QTest::keyClick(&window, key, Qt::ControlModifier);
            QCOMPARE(window.currentPlace()->title(), title);
        }
    }

    void thePaletteRunsWhatIsTyped()
    {
        MainWindow& window = m_desk->window();
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        auto* palette = window.findChild<CommandPalette*>();
        QVERIFY(palette->isVisible());
        auto* filter = palette->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "go to data");
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(window.currentPlace()->title(), "Data");
    }

    void theSchemeTogglesAndIsRemembered()
    {
        const QColor before = QApplication::palette().color(QPalette::Window);
        QTest::keyClick(&m_desk->window(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        const QColor after = QApplication::palette().color(QPalette::Window);
        QVERIFY(before != after);
        m_desk.reset();
        m_desk = std::make_unique<DeskWindow>(*qApp, m_folder->filePath("data").toStdString());
        QCOMPARE(QApplication::palette().color(QPalette::Window), after);
    }

    void everyControlHasAnAccessibleName()
    {
        QStringList nameless;
        for (auto* widget : m_desk->window().findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                                 qobject_cast<QComboBox*>(widget) ||
                                 qobject_cast<QAbstractSpinBox*>(widget) ||
                                 qobject_cast<QAbstractItemView*>(widget);
            // Parts that Qt puts inside its own controls speak with the control's name.
            const bool inner = widget->objectName().startsWith("qt_") ||
                               qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) ||
                               qobject_cast<QComboBox*>(widget->parentWidget()) ||
                               qobject_cast<QLineEdit*>(widget->parentWidget()) ||
                               widget->inherits("QComboBoxListView") || widget->inherits("QHeaderView") ||
                               widget->inherits("QTableCornerButton");
            if (control && !inner && spokenName(widget).isEmpty())
                nameless << QString("%1 in %2")
                                .arg(widget->metaObject()->className(),
                                     widget->parentWidget()->metaObject()->className());
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
    }

    void aHostIsAddedRemovedAndBroughtBack()
    {
        auto& place = goTo<HostsPlace>();
        click(place, "Add host…");
        auto* field = place.findChild<AddHostBar*>()->findChild<QLineEdit*>();
        QTest::keyClicks(field, "-bad");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_desk->session().hosts().rowCount(), 1); // said in the bar, not taken
        replaceText(field, "no-such-host.invalid");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(m_desk->session().hosts().rowCount(), 2);
        click(place, "Remove");
        QCOMPARE(m_desk->session().hosts().rowCount(), 1);
        click(place, "Undo");
        QCOMPARE(m_desk->session().hosts().names().back(), "no-such-host.invalid");

        m_desk.reset(); // the list is on the disk
        m_desk = std::make_unique<DeskWindow>(*qApp, m_folder->filePath("data").toStdString());
        QCOMPARE(m_desk->session().hosts().rowCount(), 2);
    }

    void refuseIsTheAnswerOfAHastyReturnKey()
    {
        auto& place = goTo<HostsPlace>();
        auto* strip = place.findChild<HostKeyStrip*>();
        QSignalSpy answered(strip, &HostKeyStrip::answered);
        strip->ask("gpu-11", {"gpu-11", "10.0.0.11 port 22", {}, "ssh-ed25519", "SHA256:abc"});
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains("SHA256:abc"));
        QTRY_VERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QCOMPARE(answered.count(), 1);
        QCOMPARE(answered.front().at(1).toBool(), false);
        QVERIFY(!strip->isVisible());
    }

    void thisMachineIsChecked()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: no agent to ask");
        auto& place = goTo<HostsPlace>();
        click(place, "Check now");
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->session().hosts().at(0).report.has_value(), kPatienceMs);
        QVERIFY(!m_desk->session().hosts().at(0).report->facts.hostName.isEmpty());
        QVERIFY(m_desk->session().hosts().at(0).state != HostState::NotReached);
    }

    void linksAreTriedBetweenSelectedHosts()
    {
        auto& place = goTo<HostsPlace>();
        HostListModel& hosts = m_desk->session().hosts();
        for (const char* name : {"no-such-host-1.invalid", "no-such-host-2.invalid"}) {
            HostEntry host;
            host.name = name;
            QVERIFY(hosts.add(host).ok());
        }
        auto* links = buttonIn(place, "Check links");
        const auto tables = place.findChildren<TableView*>();
        auto* table = *std::ranges::find(tables, QString("Hosts"), &QWidget::accessibleName);
        table->selectRow(1);
        QVERIFY(!links->isEnabled()); // one host has no link
        table->selectAll();
        QVERIFY(links->isEnabled());
        links->click();
        QVERIFY(!links->isEnabled()); // one check at a time
        auto* strip = place.findChild<PageFrame*>()->strip();
        QTRY_VERIFY_WITH_TIMEOUT(!m_desk->session().hostChecks().cluster().isRunning(), kPatienceMs);
        QVERIFY2(strip->text().contains("cannot be one cluster"), qPrintable(strip->text()));
        QCOMPARE(hosts.at(1).state, HostState::NotReached);
        QVERIFY(links->isEnabled());
    }

    void whatIsWrongIsSaidUnderTheFieldWhileTyping()
    {
        auto& place = goTo<DesignPlace>();
        SpecDocument& document = m_desk->session().document();
        auto* launch = buttonIn(place, "Launch");
        QVERIFY(!launch->isEnabled()); // no data set yet
        replaceText(place.findChild<QLineEdit*>("dataset.path"), "/data/set");
        QVERIFY(document.isValid());
        QVERIFY(launch->isEnabled());
        auto* heads = place.findChild<NumberBox*>("model.heads");
        replaceText(heads, "3");
        QVERIFY(!document.isValid());
        QCOMPARE(document.diagnostics().front().path, "model.heads");
        QVERIFY(heads->property("invalid").toBool());
        QVERIFY(!launch->isEnabled());
        QVERIFY(!launch->toolTip().isEmpty());
        replaceText(place.findChild<QLineEdit*>("optimizer.learning_rate"), "fast");
        QVERIFY(place.findChild<QLineEdit*>("optimizer.learning_rate")->property("invalid").toBool());
    }

    void everySettingHasAControlThatTheKeyboardReaches()
    {
        auto& place = goTo<DesignPlace>();
        const auto root = nlohmann::json::parse(toJson(RunSpec{})).flatten();
        for (const auto& [pointer, value] : root.items()) {
            // "/cluster/nodes/0/host" -> "cluster.nodes[0].host"
            QString path = QString::fromStdString(pointer).mid(1).replace('/', '.');
            path.replace(QRegularExpression("\\.(\\d+)\\."), "[\\1].");
            if (path == "trainyard")
                continue;
            const auto controls = place.findChildren<QWidget*>(path);
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

    void whateverNumberIsTypedIsJudgedAtOnce()
    {
        auto& place = goTo<DesignPlace>();
        SpecDocument& document = m_desk->session().document();
        document.edit("Pipeline", "layout.pipeline", [](RunSpec& spec) { spec.layout.pipeline = 2; });
        document.closeEdit();
        const RunSpec before = document.spec();
        QElapsedTimer clock;
        clock.start();
        for (auto* box : place.findChild<SpecForm*>()->findChildren<NumberBox*>()) {
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
        auto& place = goTo<DesignPlace>();
        SpecDocument& document = m_desk->session().document();
        document.edit("Beta 1", "optimizer.beta1", [](RunSpec& spec) { spec.optimizer.beta1 = 2; });
        auto* beta = place.findChild<QLineEdit*>("optimizer.beta1");
        QVERIFY(!beta->isVisible());
        place.findChild<SpecForm*>()->focusField("optimizer.beta1");
        QVERIFY(beta->isVisible());
        QVERIFY(beta->hasFocus());
        QVERIFY(beta->property("invalid").toBool());
    }

    void undoWorksFromInsideAField()
    {
        auto& place = goTo<DesignPlace>();
        SpecDocument& document = m_desk->session().document();
        auto* name = place.findChild<QLineEdit*>("name");
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
        auto& place = goTo<DesignPlace>();
        replaceText(place.findChild<NumberBox*>("layout.data"), "2");
        QCOMPARE(place.findChild<NumberBox*>("batch.global")->value(), 64);
        replaceText(place.findChild<NumberBox*>("batch.global"), "1024");
        QCOMPARE(m_desk->session().document().spec().batch.accumulation, 64);
        QCOMPARE(place.findChild<NumberBox*>("batch.global")->value(), 1024);
    }

    void aPresetFillsTheModel()
    {
        auto& place = goTo<DesignPlace>();
        auto* preset = place.findChild<QComboBox*>("model.preset");
        preset->setFocus();
        QApplication::setKeyboardInputInterval(
            kPatienceMs); // one word, however slowly a busy machine types it
        QTest::keyClicks(preset, "bert-large");
        QCOMPARE(m_desk->session().document().spec().model.layers, 24);
        QCOMPARE(place.findChild<NumberBox*>("model.hidden")->value(), 1024);
    }

    void anUnreadableSpecificationIsSaidInThePlace()
    {
        auto& place = goTo<DesignPlace>();
        place.openFile(m_folder->filePath("no such.json"));
        auto* strip = place.findChild<PageFrame*>()->strip();
        QVERIFY(strip->isVisible());
        QVERIFY(strip->text().contains("no such.json"));
    }

    void everyOptionHasAFieldThatSetsIt()
    {
        auto& place = goTo<DataPlace>();
        click(place, "Prepare…");
        auto* form = place.findChild<PrepareForm*>();
        form->setHosts({"localhost", "gpu-03"});
        PrepareOptions options;
        options.host = "gpu-03";
        options.readers = {"localhost", "gpu-03"};
        options.dumps = {"/d/a.xml", "gpu-03:/d/b.xml"};
        options.format = "jsonl";
        options.keepHeadings = options.keepLists = options.cased = options.wholeWords = true;
        options.punktFolder = "/d/punkt";
        options.vocabularyFile = "/d/vocab.txt";
        options.vocabularySize = 4000;
        options.profile = "google-py";
        options.outputFolder = "/d/set";
        options.shapes = {{128, 20}, {512, 80}};
        options.objective = "mlm";
        options.nextSentence = "swap";
        options.dupeFactor = 7;
        options.seed = 99;
        options.shards = 6;
        options.testShards = 3;
        options.testFraction = 0.125;
        options.shardName = "wiki";
        options.provenance = options.megatron = options.mds = true;
        options.memory = 300 * kMiB;
        options.threads = 3;
        form->setOptions(options);
        QCOMPARE(form->options(), options);
        options.shapes = {{64, 9}};
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        form->setOptions(options);
        QCOMPARE(form->options(), options);
        form->setOptions({});
        QCOMPARE(form->options(), PrepareOptions{});
    }

    void aProblemBehindMoreOptionsIsShown()
    {
        auto& place = goTo<DataPlace>();
        click(place, "Prepare…");
        auto* form = place.findChild<PrepareForm*>();
        PrepareOptions options = someOptions();
        options.shardName = "training";
        form->setOptions(options);
        QVERIFY(!fieldNamed(*form, "Names of shards")->isVisible());
        click(*form, "Prepare");
        QVERIFY(fieldNamed(*form, "Names of shards")->isVisible());
        QVERIFY(fieldNamed(*form, "Names of shards")->hasFocus());
    }

    void theFormSaysAllThatIsMissing()
    {
        auto& place = goTo<DataPlace>();
        click(place, "Prepare…");
        auto* form = place.findChild<PrepareForm*>();
        QSignalSpy requested(form, &PrepareForm::prepareRequested);
        click(*form, "Prepare");
        QCOMPARE(requested.count(), 0);
        int errors = 0;
        for (auto* label : form->findChildren<QLabel*>())
            errors += label->isVisible() && label->property("role") == "error" ? 1 : 0;
        QCOMPARE(errors, 3); // dumps, vocabulary, output
    }

    void aDumpBecomesADataSetWithSamples()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        const QString dump = writeDump();
        auto& place = goTo<DataPlace>();
        click(place, "Prepare…");
        auto* form = place.findChild<PrepareForm*>();
        PrepareOptions options;
        options.dumps = {dump};
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        options.vocabularySize = 300;
        options.outputFolder = m_folder->filePath("set");
        options.shards = 2;
        options.threads = 1;
        form->setOptions(options);
        click(*form, "Prepare");
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->session().prepareJob().state() == PrepareJob::State::Idle,
                                 kPatienceMs);
        auto* strip = place.findChild<PageFrame*>()->strip();
        QVERIFY2(m_desk->session().dataSets().rowCount() == 1, qPrintable(strip->text()));
        QVERIFY(m_desk->session().dataSets().at(0).rows > 0);
        QTRY_COMPARE_WITH_TIMEOUT(m_desk->session().dataSets().at(0).check, DataSetEntry::Check::Verified,
                                  kPatienceMs);

        auto* panel = place.findChild<DataSetPanel*>();
        QCOMPARE(panel->tabs()->count(), 4);
        for (auto* table :
             panel->findChildren<FactTable*>()) // statistics, what was left out, settings, shards
            QVERIFY2(table->model()->rowCount() > 0, qPrintable(table->accessibleName()));
        click(place, "Use in a run");
        QCOMPARE(m_desk->window().currentPlace()->title(), "Design");
        QCOMPARE(QString::fromStdString(m_desk->session().document().spec().dataset.path),
                 options.outputFolder);
    }

    void aPreparationIsFoundAgainWhenTheWindowOpens()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        useSlowPrepare();
        m_desk->session().prepareJob().start(someOptions());
        QTRY_COMPARE_WITH_TIMEOUT(m_desk->session().prepareJob().state(), PrepareJob::State::Running,
                                  kPatienceMs);
        openWindow();
        auto& job = m_desk->session().prepareJob();
        QCOMPARE(job.state(), PrepareJob::State::Running);
        QCOMPARE(job.options(), someOptions());
        auto& place = goTo<DataPlace>();
        QVERIFY(place.findChild<PreparePanel*>()->isVisible());
        QVERIFY(QFile(m_folder->filePath("go on")).open(QIODevice::WriteOnly));
        QTRY_COMPARE_WITH_TIMEOUT(m_desk->session().dataSets().rowCount(), 1, kPatienceMs);
        QCOMPARE(m_desk->session().dataSets().at(0).tokens, 527'681u);
        QCOMPARE(job.state(), PrepareJob::State::Idle);
        openWindow();
        QCOMPARE(m_desk->session().prepareJob().state(), PrepareJob::State::Idle); // it is over
    }

    void aFailedPreparationIsSaidInThePlace()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        auto& place = goTo<DataPlace>();
        PrepareOptions options;
        options.dumps = {m_folder->filePath("missing.xml")};
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        options.outputFolder = m_folder->filePath("set");
        m_desk->session().prepareJob().start(options);
        auto* strip = place.findChild<PageFrame*>()->strip();
        QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible(), kPatienceMs);
        QVERIFY2(strip->text().contains("missing.xml"), qPrintable(strip->text()));
        QCOMPARE(m_desk->session().dataSets().rowCount(), 0);
        QVERIFY(!place.findChild<PreparePanel*>()->isVisible());
    }

    void asksBeforeItClosesWhileSomethingIsStarting()
    {
        if (!nodeProgramsAreBuilt())
            QSKIP("the node executables are not built: nothing to prepare with");
        useSlowPrepare();
        m_desk->session().prepareJob().start(someOptions());
        QVERIFY(m_desk->session().runs().isStarting());
        QTimer::singleShot(0, this, [] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            QVERIFY2(box->text().contains("is being started"), qPrintable(box->text()));
            QTest::keyClick(box, Qt::Key_Escape);
        });
        QVERIFY(!m_desk->window().close());
        QTRY_VERIFY_WITH_TIMEOUT(!m_desk->session().runs().isStarting(), kPatienceMs);
        QVERIFY(QFile(m_folder->filePath("go on")).open(QIODevice::WriteOnly));
        QVERIFY(m_desk->window().close());
    }

private:
    template <typename T>
    T& goTo()
    {
        auto* place = m_desk->window().findChild<T*>();
        m_desk->window().showPlace(place);
        return *place;
    }

    /// Opens the window, after closing the one before.
    void openWindow()
    {
        m_desk.reset();
        m_desk = std::make_unique<DeskWindow>(*qApp, m_folder->filePath("data").toStdString());
        m_desk->window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window()));
        m_desk->window().activateWindow();
    }

    /// Every run that this desk has started and that is not over, each by its own id: a supervised job goes
    /// on when its desk is gone.
    void endRuns()
    {
        for (const DeskRun& run : deskRuns()) {
            bool over = false;
            RunOperation* stop = m_desk->session().runs().stop(run.id, {.checkpoint = false, .grace = {}});
            connect(stop, &RunOperation::finished, this, [&over] { over = true; });
            QTRY_VERIFY_WITH_TIMEOUT(over, kPatienceMs);
        }
    }

    /// Command lines of processes that have this test's folder on them or in their environment.
    QStringList processesOfThisTest() const
    {
        QStringList found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            if (pid.toLongLong() == 0 || pid.toLongLong() == QCoreApplication::applicationPid())
                continue;
            QByteArray said;
            for (const char* name : {"cmdline", "environ"}) {
                QFile file("/proc/" + pid + '/' + name);
                said += file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
            }
            if (said.contains(m_folder->path().toLocal8Bit()))
                found << pid + ": " + said.left(200).replace('\0', ' ');
        }
        return found;
    }

    PrepareOptions someOptions() const
    {
        PrepareOptions options;
        options.dumps = {m_folder->filePath("dump.xml")};
        options.vocabulary = PrepareOptions::Vocabulary::Train;
        options.outputFolder = m_folder->filePath("set");
        return options;
    }

    /// A preparation that waits for the file "go on" and then publishes a manifest.
    void useSlowPrepare()
    {
        m_nodePrograms = qgetenv("TRAINYARD_BIN");
        QVERIFY(QDir(m_folder->path()).mkpath("bin"));
        QVERIFY(QFile::link(m_nodePrograms + "/trainyard-agent", m_folder->filePath("bin/trainyard-agent")));
        QFile script(m_folder->filePath("bin/trainyard-prepare"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nwhile ! test -e '" + m_folder->filePath("go on").toUtf8() +
                     "'; do sleep 0.1; done\nmkdir '" + m_folder->filePath("set").toUtf8() + "'\ncat > '" +
                     m_folder->filePath("set/manifest.json").toUtf8() + "' <<END\n" +
                     R"({"version":1,"sequence_length":128,"max_predictions":20,"vocabulary_size":300,
                        "vocabulary_sha256":"0","statistics":{"documents":105,"tokens":527681},"shards":[]})" +
                     "\nEND\n");
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("TRAINYARD_BIN", m_folder->filePath("bin").toLocal8Bit());
    }

    /// A small export: enough articles for two training shards and a test shard.
    QString writeDump()
    {
        const QString path = m_folder->filePath("dump.xml");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write("<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.10/\" version=\"0.10\" "
                   "xml:lang=\"en\">\n");
        for (int page = 1; page <= 60; ++page) {
            file.write(
                QString("<page><title>Engine %1</title><ns>0</ns><id>%1</id><revision><id>%1</id><text>")
                    .arg(page)
                    .toUtf8());
            for (int sentence = 1; sentence <= 12; ++sentence)
                file.write(
                    QString("The engine number %1 carried %2 wagons over the long bridge near the old town. ")
                        .arg(page * 7)
                        .arg(sentence * page)
                        .toUtf8());
            file.write("</text></revision></page>\n");
        }
        file.write("</mediawiki>\n");
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<DeskWindow> m_desk;
    QByteArray m_nodePrograms; ///< while a script stands in their place
};

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
