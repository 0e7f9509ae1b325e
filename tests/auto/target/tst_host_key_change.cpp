#include "engine/base/file.h"
#include "remote/target/host_key_change.h"

#include <QTemporaryDir>
#include <QTest>

using namespace trainyard;

/// What taking an old key out of several files of known_hosts does to them.
class TestHostKeyChange : public QObject {
    Q_OBJECT

private slots:
    void removesTheKeyFromEveryFile()
    {
        write("first", kOld + kOther);
        write("second", kOld);
        QVERIFY(removeOldKeys(change()).ok());
        QCOMPARE(read("first"), kOther);
        QCOMPARE(read("second"), std::string());
    }

    void changesNoFileWhereAPatternInTheSecondForbidsIt()
    {
        const std::string pattern = "gpu* ssh-ed25519 AAAA\n";
        write("first", kOld);
        write("second", pattern);
        const Status removed = removeOldKeys(change());
        QVERIFY(!removed.ok());
        QCOMPARE(removed.error().kind, ErrorKind::Refused);
        QCOMPARE(read("first"), kOld);
        QCOMPARE(read("second"), pattern);
    }

private:
    const std::string kOld = "gpu-03 ssh-ed25519 AAAA\n";
    const std::string kOther = "gpu-04 ssh-ed25519 AAAA\n";

    std::filesystem::path file(const char* name) const { return m_place.filePath(name).toStdString(); }
    std::string read(const char* name) const { return readFile(file(name)).value(); }
    void write(const char* name, const std::string& text) const
    {
        QVERIFY(writeFileAtomically(file(name), text).ok());
    }

    HostKeyChange change() const
    {
        HostKeyChange change;
        change.host = "gpu-03";
        for (const char* name : {"first", "second"}) {
            change.userFiles << m_place.filePath(name);
            change.known << HostKeyChange::Known{"ssh-ed25519", {}, m_place.filePath(name), 1};
        }
        return change;
    }

    QTemporaryDir m_place;
};

QTEST_APPLESS_MAIN(TestHostKeyChange)
#include "tst_host_key_change.moc"
