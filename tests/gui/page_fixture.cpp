#include "tests/gui/page_fixture.h"

#include <algorithm>

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QTest>

#include "remote/launch/desk_run.h"
#include "tests/support/patience.h"

namespace trainyard::test {

void PageFixture::start()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("TRAINYARD_DATA", path("data").toLocal8Bit());
    qputenv("TRAINYARD_HOME", path("home").toLocal8Bit());
    if (!qEnvironmentVariableIsSet("TRAINYARD_BIN"))
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
    open();
}

void PageFixture::end()
{
    endRuns();
    m_window.reset();
    AWAIT_EQUAL(processesLeft(), QStringList());
    m_folder.reset();
    if (!m_programs.isEmpty())
        qputenv("TRAINYARD_BIN", std::exchange(m_programs, {}));
}

void PageFixture::open()
{
    m_window.reset();
    m_window = std::make_unique<DeskWindow>(*qApp, path("data").toStdString());
    window().show();
    QVERIFY(QTest::qWaitForWindowExposed(&window(), kPatienceMs));
    window().activateWindow();
}

void PageFixture::usePrograms(const QString& folder)
{
    m_programs = qgetenv("TRAINYARD_BIN");
    qputenv("TRAINYARD_BIN", folder.toLocal8Bit());
}

/// Every run that this desk has started and that is not over, each by its own id: a supervised job goes on
/// when its desk is gone.
void PageFixture::endRuns()
{
    for (const DeskRun& run : deskRuns()) {
        bool over = false;
        RunOperation* stop = session().runs().stop(run.id, {.checkpoint = false, .grace = {}});
        QObject::connect(stop, &RunOperation::finished, &window(), [&over] { over = true; });
        AWAIT(over);
    }
}

/// Command lines of processes that have this test's folder on them or in their environment.
QStringList PageFixture::processesLeft() const
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

bool nodeProgramsAreBuilt()
{
#ifdef TRAINYARD_HAS_NODE_PROGRAMS
    return true;
#else
    const QString folder = qEnvironmentVariable("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
    return QFile::exists(folder + "/trainyard-agent") && QFile::exists(folder + "/trainyard-prepare");
#endif
}

QPushButton* buttonIn(QWidget& parent, const QString& name)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->isVisibleTo(&parent) && button->accessibleName() == name)
            return button;
    }
    return nullptr;
}

bool labelContaining(const QWidget& parent, const QString& text)
{
    const auto labels = parent.findChildren<QLabel*>();
    return std::ranges::any_of(
        labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
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

} // namespace trainyard::test
