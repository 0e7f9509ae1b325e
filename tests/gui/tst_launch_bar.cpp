#include <QPushButton>
#include <QTest>

#include "app/designer/launch_bar.h"

using namespace trainyard;

namespace {

class AskingLaunch : public RunOperation {
public:
    void cancel() override { finish(cancelled("launching was cancelled")); }
    void acceptOffer() override { ++accepted; }

    int accepted = 0;
};

QPushButton* button(const LaunchBar& bar, const QString& name)
{
    for (auto* one : bar.findChildren<QPushButton*>()) {
        if (one->isVisible() && one->text() == name)
            return one;
    }
    return nullptr;
}

DataOffer offerTo(const QStringList& hosts, const QStringList& names)
{
    return {hosts, names, qint64(3) << 30, {}};
}

} // namespace

/// A launch that waits for an answer can always get one.
class TestLaunchBar : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_bar = std::make_unique<LaunchBar>();
        m_launch = new AskingLaunch;
        m_bar->follow(*m_launch, "bert-tiny");
        QVERIFY(m_bar->isVisible());
    }
    void cleanup()
    {
        m_bar.reset();
        delete m_launch;
    }

    void aQuestionStaysUntilItIsAnswered()
    {
        emit m_launch->dataOffered(offerTo({"gpu-03"}, {"wiki"}));
        emit m_launch->progress("connecting to gpu-03", 0.5);
        QVERIFY2(m_bar->text().startsWith("gpu-03 lacks the data set wiki."), qPrintable(m_bar->text()));
        QVERIFY(button(*m_bar, "Cancel"));
        button(*m_bar, "Send")->click();
        QCOMPARE(m_launch->accepted, 1);
        emit m_launch->progress("sending", 0.1);
        QCOMPARE(m_bar->text(), QString("Launching bert-tiny — sending"));
        QVERIFY(!button(*m_bar, "Send"));
        button(*m_bar, "Cancel")->click();
        QVERIFY(!m_bar->isVisible());
    }

    void theQuestionCanBeCancelled()
    {
        emit m_launch->dataOffered(offerTo({"gpu-03"}, {"wiki"}));
        button(*m_bar, "Cancel")->click();
        QCOMPARE(m_launch->accepted, 0);
        QVERIFY(!m_bar->isVisible());
    }

    void countsHostsAndDataSets()
    {
        emit m_launch->dataOffered(offerTo({"gpu-03", "gpu-04"}, {"wiki", "books"}));
        QVERIFY2(m_bar->text().startsWith("gpu-03, gpu-04 lack the data sets wiki, books."),
                 qPrintable(m_bar->text()));
    }

private:
    std::unique_ptr<LaunchBar> m_bar;
    QPointer<AskingLaunch> m_launch;
};

QTEST_MAIN(TestLaunchBar)
#include "tst_launch_bar.moc"
