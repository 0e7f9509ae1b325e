#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "remote/target/agent_file.h"

using namespace trainyard;

class TestAgentFile : public QObject {
    Q_OBJECT

private slots:
    void tellsTheHashOfWhatLiesThereNow()
    {
        QTemporaryDir dir;
        const std::string path = dir.filePath("agent").toStdString();
        AgentFiles files;
        for (const std::string content : {"one", "two", "two and more"}) {
            QVERIFY(writeFileAtomically(path, content).ok());
            for (int again = 0; again < 2; ++again) {
                const auto found = files.find(path);
                QVERIFY(found.ok());
                QCOMPARE(found->path, path);
                QCOMPARE(found->sha256, sha256Hex(content));
            }
        }
    }

    void saysWhichFileIsMissing()
    {
        AgentFiles files;
        const auto found = files.find("/nonexistent/agent");
        QVERIFY(!found.ok() && found.error().kind == ErrorKind::BadInput);
        QVERIFY(found.error().message.find("/nonexistent/agent") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestAgentFile)
#include "tst_agent_file.moc"
