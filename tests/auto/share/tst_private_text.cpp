#include <QTest>

#include "app/share/private_text.h"

using namespace trainyard;

class TestPrivateText : public QObject {
    Q_OBJECT

private slots:
    void replacesHostsAndPaths_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::addRow("host") << "rank 3 on gpu-03 died"
                              << "rank 3 on … died";
        QTest::addRow("address") << "alice@10.0.0.7:2222 is away"
                                 << "… is away";
        QTest::addRow("longer name") << "gpu-031 stays"
                                     << "gpu-031 stays";
        QTest::addRow("two hosts") << "gpu-03, gpu-03.lab"
                                   << "…, …";
        QTest::addRow("path") << "cannot open /home/ann/wiki-128/manifest.json"
                              << "cannot open …";
        QTest::addRow("home") << "see ~/runs"
                              << "see …";
        QTest::addRow("fraction") << "12/40 steps, 3 seq/s"
                                  << "12/40 steps, 3 seq/s";
        QTest::addRow("address of a page") << "see https://example.org/page"
                                           << "see https://example.org/page";
        QTest::addRow("this computer") << "on localhost"
                                       << "on localhost";
        QTest::addRow("plain") << "learning rate too high"
                               << "learning rate too high";
    }

    void replacesHostsAndPaths()
    {
        QFETCH(QString, text);
        const PrivateText hidden({"gpu-03", "gpu-03.lab", "alice@10.0.0.7:2222", "localhost"});
        QTEST(hidden.without(text), "shown");
    }
};

QTEST_APPLESS_MAIN(TestPrivateText)
#include "tst_private_text.moc"
