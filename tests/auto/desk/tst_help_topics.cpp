#include <QSet>
#include <QTest>

#include "app/base/help_topics.h"

using namespace trainyard;

class TestHelpTopics : public QObject {
    Q_OBJECT

private slots:
    void pagesComeBeforeTerms()
    {
        QVERIFY(helpTopics().size() > 20);
        QCOMPARE(helpTopics().first().name, QString("first-run"));
        bool terms = false;
        for (const HelpTopic& topic : helpTopics()) {
            QVERIFY2(topic.isTerm || !terms, qPrintable(topic.name));
            terms = topic.isTerm;
        }
        QVERIFY(terms);
    }

    void everyTopicHasANameOfItsOwnAndAHeading()
    {
        QSet<QString> names;
        for (const HelpTopic& topic : helpTopics()) {
            QVERIFY2(!names.contains(topic.name), qPrintable(topic.name));
            names << topic.name;
            QVERIFY2(topic.text.startsWith("# " + topic.title), qPrintable(topic.name));
            QVERIFY2(topic.text.trimmed().count('\n') > 0, qPrintable(topic.name));
        }
    }

    void findsATopicByItsNameOrTitle()
    {
        QCOMPARE(helpTopic("LAYOUTS")->title, QString("Layouts: sharing a model among devices"));
        QCOMPARE(helpTopic("Micro-batch")->name, QString("micro-batch"));
        QCOMPARE(helpTopic("data parallel")->name, QString("data-parallel"));
        QVERIFY(!helpTopic("coffee"));
    }

    void theTitleCountsMoreThanTheText()
    {
        QCOMPARE(helpTopicsWith("shard").first().name, QString("shard"));
        QVERIFY(helpTopicsWith("loss scale float16").size() == 1);
        QCOMPARE(helpTopicsWith("").size(), helpTopics().size());
        QVERIFY(helpTopicsWith("no such words here").isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestHelpTopics)
#include "tst_help_topics.moc"
