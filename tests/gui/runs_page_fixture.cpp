#include "tests/gui/runs_page_fixture.h"

#include <algorithm>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QLabel>
#include <QTest>

#include "tests/support/patience.h"

namespace trainyard::test {

support::SampleRun running()
{
    support::SampleRun run;
    run.name = "bert-large-phase1";
    run.hosts = QStringList{"gpu-01.cluster", "gpu-02.cluster"};
    run.worldSize = 4;
    run.steps = 2000;
    run.reached = 1240;
    run.state = RunState::Running;
    run.startNs = QDateTime::currentMSecsSinceEpoch() * 1'000'000 - 300'000'000'000;
    run.spikeAt = 640;
    run.notFiniteAt = 900;
    run.rowLength = 128;
    return run;
}

support::SampleRun failedRun()
{
    support::SampleRun run;
    run.name = "a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch";
    run.id = "20261120T101010Z-a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch-00aa";
    run.hosts = QStringList{"gpu-01.cluster", "gpu-02.cluster"};
    run.worldSize = 8;
    run.reached = 233;
    run.state = RunState::Failed;
    run.reason =
        "rank 7 on gpu-02.cluster was killed by signal 9 (out of memory) in all-reduce 41 of step 233";
    run.startNs -= 86'400'000'000'000;
    run.seed = 3;
    return run;
}

void RunsPageFixture::start()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_history = RunDatabase::open(m_folder->filePath("history.db")).value();
    m_hosts = std::make_unique<ScriptedHosts>();
    QDir(m_folder->path()).mkdir("runs");
}

void RunsPageFixture::end()
{
    m_page.reset();
    m_alerts.reset();
    m_store.reset();
    m_history.reset();
}

void RunsPageFixture::open(const QList<support::SampleRun>& runs)
{
    for (const support::SampleRun& run : runs)
        QVERIFY(!support::writeSampleRun(m_folder->filePath("runs"), run).isEmpty());
    m_store = std::make_unique<RunStore>(*m_history, m_folder->filePath("runs"), m_hosts.get());
    m_alerts = std::make_unique<AlertCenter>(*m_store, m_folder->filePath("alerts.json").toStdString());
    m_page = std::make_unique<RunsPage>(*m_store, *m_alerts, m_hardware);
    m_page->resize(1200, 770);
    m_page->show();
    m_page->activate();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get(), kPatienceMs));
    QCoreApplication::processEvents(); // the panels are laid out
}

QPushButton* RunsPageFixture::button(const QString& text, const QWidget* parent) const
{
    for (QPushButton* button : (parent ? parent : m_page.get())->findChildren<QPushButton*>()) {
        if (button->text() == text)
            return button;
    }
    qFatal("no button %s", qPrintable(text));
}

QTableView* RunsPageFixture::tableOf(QWidget& parent, const QString& name)
{
    for (auto* table : parent.findChildren<QTableView*>()) {
        if (table->accessibleName() == name)
            return table;
    }
    qFatal("no table %s", qPrintable(name));
}

bool RunsPageFixture::hasText(const QString& text) const
{
    const auto labels = m_page->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](QLabel* label) { return label->isVisible() && label->text() == text; });
}

bool RunsPageFixture::hasTextStartingWith(const QString& text) const
{
    const auto labels = m_page->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](QLabel* label) { return label->isVisible() && label->text().startsWith(text); });
}

} // namespace trainyard::test
