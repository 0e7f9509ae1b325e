#include <random>
#include <sstream>
#include <thread>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/ssh/base64.h"
#include "remote/ssh/known_hosts.h"
#include "remote/ssh/known_hosts_writer.h"

using namespace trainyard;
using namespace trainyard::ssh;

namespace {

/// A well-formed ed25519 key blob; the bytes of the key are all `fill`.
HostKey makeKey(char fill, const std::string& type = "ssh-ed25519")
{
    std::string blob{'\0', '\0', '\0', static_cast<char>(type.size())};
    return {blob + type + std::string("\0\0\0\x20", 4) + std::string(32, fill)};
}

std::string lineFor(const std::string& names, const HostKey& key)
{
    return names + ' ' + key.type() + ' ' + toBase64(key.blob) + '\n';
}

KeyVerdict verdict(const std::string& text, const std::string& name, const HostKey& key)
{
    KnownHosts hosts;
    hosts.addText("known_hosts", text);
    return hosts.check(name, key).verdict;
}

const HostKey kOurs = makeKey('a');
const HostKey kOther = makeKey('b');

/// Numbers of the lines of a file that name a host, as we read it.
QList<int> linesNaming(const std::string& text, const std::string& name)
{
    QList<int> numbers;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::istringstream words(line);
        std::string field;
        words >> field;
        if (field.starts_with('@'))
            words >> field;
        if (!field.starts_with('#') && hostFieldMatches(field, name))
            numbers << number;
    }
    return numbers;
}

/// The same by `ssh-keygen -F`, whose answer says "# Host gpu found: line 3".
QList<int> linesOfOpenSsh(const QString& file, const std::string& name)
{
    QProcess keygen;
    keygen.start("ssh-keygen", {"-F", QString::fromStdString(name), "-f", file});
    keygen.waitForFinished();
    QList<int> numbers;
    for (const QByteArray& line : keygen.readAllStandardOutput().split('\n')) {
        if (const auto at = line.indexOf("found: line "); line.startsWith("# Host") && at >= 0)
            numbers << line.mid(at + 12).split(' ').value(0).toInt();
    }
    return numbers;
}

} // namespace

class TestKnownHosts : public QObject {
    Q_OBJECT

private slots:
    void matchesNames_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("matches");
        QTest::addRow("plain") << "gpu"
                               << "gpu" << true;
        QTest::addRow("another") << "gpu"
                                 << "gpu2" << false;
        QTest::addRow("case") << "GPU.Example"
                              << "gpu.example" << true;
        QTest::addRow("list") << "a,gpu,b"
                              << "gpu" << true;
        QTest::addRow("star") << "*.example"
                              << "gpu.example" << true;
        QTest::addRow("question") << "gpu-0?"
                                  << "gpu-03" << true;
        QTest::addRow("question needs one") << "gpu?"
                                            << "gpu" << false;
        QTest::addRow("negation wins") << "*.example,!bad.example"
                                       << "bad.example" << false;
        QTest::addRow("negation first") << "!bad.example,*.example"
                                        << "bad.example" << false;
        QTest::addRow("negation alone") << "!other"
                                        << "gpu" << false;
        QTest::addRow("port") << "[gpu]:2222"
                              << "[gpu]:2222" << true;
        QTest::addRow("port differs") << "[gpu]:2222"
                                      << "[gpu]:2223" << false;
        QTest::addRow("plain does not serve a port") << "gpu"
                                                     << "[gpu]:2222" << false;
        QTest::addRow("default port written") << "[gpu]:22"
                                              << "gpu" << true;
        QTest::addRow("broken hash") << "|1|x"
                                     << "gpu" << false;
        QTest::addRow("many stars") << "*a*a*a*a*a*a*a*a*b"
                                    << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" << false;
    }
    void matchesNames()
    {
        QFETCH(QString, field);
        QFETCH(QString, name);
        QTEST(hostFieldMatches(field.toStdString(), name.toStdString()), "matches");
    }

    void decidesLikeACarefulPerson_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* name, const std::string& text, KeyVerdict expected) {
            QTest::addRow("%s", name) << QString::fromStdString(text) << static_cast<int>(expected);
        };
        const std::string ours = lineFor("gpu", kOurs), changed = lineFor("gpu", kOther);
        const std::string otherType = lineFor("gpu", makeKey('a', "ssh-rsa"));
        row("empty", "", KeyVerdict::Unknown);
        row("known", ours, KeyVerdict::Trusted);
        row("known, with comment and spaces",
            "  gpu \t ssh-ed25519 " + toBase64(kOurs.blob) + "  me@here\r\n", KeyVerdict::Trusted);
        row("changed", changed, KeyVerdict::Changed);
        row("changed and known", changed + ours, KeyVerdict::Trusted);
        row("other type", otherType, KeyVerdict::OtherType);
        row("other type and changed", otherType + changed, KeyVerdict::Changed);
        row("revoked", "@revoked " + ours, KeyVerdict::Revoked);
        row("revoked and known", ours + "@revoked " + lineFor("*", kOurs), KeyVerdict::Revoked);
        row("another key revoked", "@revoked " + changed, KeyVerdict::Unknown);
        row("authority", "@cert-authority " + ours, KeyVerdict::Unknown);
        row("unknown marker", "@new " + ours, KeyVerdict::Unknown);
        row("changed, then garbage for the host", changed + "gpu ssh-ed25519 !!!\n", KeyVerdict::Changed);
        row("garbage for the host, then changed", "gpu nonsense AAAA\n" + changed, KeyVerdict::Changed);
        row("type does not fit the key", "gpu ssh-rsa " + toBase64(kOurs.blob) + '\n', KeyVerdict::Unknown);
        row("comment", "# " + ours, KeyVerdict::Unknown);
        row("no end of line", ours.substr(0, ours.size() - 1), KeyVerdict::Trusted);
    }
    void decidesLikeACarefulPerson()
    {
        QFETCH(QString, text);
        QFETCH(int, expected);
        QCOMPARE(static_cast<int>(verdict(text.toStdString(), "gpu", kOurs)), expected);
    }

    void saysWhichLinesItCannotUse()
    {
        KnownHosts hosts;
        hosts.addText("kh", "\n# x\n@cert-authority " + lineFor("gpu", kOurs) +
                                "gpu ssh-ed25519 broken\nother junk\n");
        const KeyAnswer answer = hosts.check("gpu", kOurs);
        QCOMPARE(answer.notices.size(), std::size_t{2});
        QVERIFY(answer.notices[0].starts_with("kh line 3"));
        QVERIFY(answer.notices[1].starts_with("kh line 4"));
    }

    /// OpenSSH's own tool makes the hashes and finds the names; we must agree with it.
    void agreesWithOpenSshOnHashedNames()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("known_hosts").toStdString();
        QVERIFY(writeFileAtomically(file, lineFor("gpu", kOurs) + lineFor("[gate]:2222", kOther)).ok());
        QCOMPARE(QProcess::execute("ssh-keygen", {"-q", "-H", "-f", QString::fromStdString(file)}), 0);
        const KnownHosts hosts = KnownHosts::load({file});
        QVERIFY(readFile(file)->find("|1|") != std::string::npos);
        QCOMPARE(hosts.check("gpu", kOurs).verdict, KeyVerdict::Trusted);
        QCOMPARE(hosts.check("gpu", kOther).verdict, KeyVerdict::Changed);
        QCOMPARE(hosts.check("[gate]:2222", kOther).verdict, KeyVerdict::Trusted);
        QCOMPARE(hosts.check("gate", kOther).verdict, KeyVerdict::Unknown);
    }

    /// Files made at random of what known_hosts may hold; `ssh-keygen -F` says which lines name a host. The
    /// one difference that we want, "[gpu]:22" for "gpu", is left out.
    void agreesWithOpenSshOnGeneratedFiles()
    {
        std::mt19937 random(20261122);
        const auto pick = [&](const std::vector<std::string>& from) {
            return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
        };
        const std::vector<std::string> names{"gpu",        "gpu.example",     "10.0.0.3",
                                             "[gpu]:2222", "[10.0.0.3]:2022", "fe80::1"};
        const std::vector<std::string> fields{"gpu",
                                              "GPU",
                                              "*",
                                              "gpu*",
                                              "g?u",
                                              "*.example",
                                              "!gpu,*",
                                              "gpu,10.0.0.*",
                                              "[gpu]:2222",
                                              "[*]:2222",
                                              "[gpu]:222?",
                                              "10.0.0.3,gpu.example",
                                              "!*.example,gpu*",
                                              "fe80::1",
                                              ",",
                                              "!",
                                              "gpu,"};
        const std::vector<std::string> markers{"", "", "", "", "@revoked ", "@cert-authority ", "# "};
        QTemporaryDir dir;
        const QString file = dir.filePath("known_hosts");
        for (int round = 0; round < 60; ++round) {
            std::string text;
            for (int i = 0; i < 8; ++i) {
                std::string field = pick(fields);
                if (random() % 4 == 0)
                    field = hashedHostName(pick(names));
                text += pick(markers) + field + ' ' + kOurs.type() + ' ' +
                        toBase64(makeKey(static_cast<char>('a' + i)).blob) +
                        (random() % 5 == 0 ? " comment\r\n" : "\n");
            }
            QVERIFY(writeFileAtomically(file.toStdString(), text).ok());
            const std::string name = pick(names);
            const QList<int> ours = linesNaming(text, name), theirs = linesOfOpenSsh(file, name);
            QVERIFY2(ours == theirs, (name + " in\n" + text).c_str());
        }
    }

    void printsTheFingerprintOfOpenSsh()
    {
        QTemporaryDir dir;
        const QString key = dir.filePath("key");
        QCOMPARE(QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", key}), 0);
        QProcess list;
        list.start("ssh-keygen", {"-l", "-f", key + ".pub"});
        QVERIFY(list.waitForFinished());
        const std::string text = *readFile((key + ".pub").toStdString());
        const auto from = text.find(' ') + 1;
        const HostKey parsed{fromBase64(text.substr(from, text.find(' ', from) - from)).value()};
        QCOMPARE(QByteArray::fromStdString(parsed.fingerprint()), list.readAll().split(' ').value(1));
    }

    void remembersAKeyOnceAndKeepsTheRest()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("ssh/known_hosts").toStdString();
        QVERIFY(rememberHostKey(file, "gpu", kOurs).ok());
        QVERIFY(rememberHostKey(file, "gpu", kOurs).ok());
        QCOMPARE(*readFile(file), lineFor("gpu", kOurs));
        QCOMPARE(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));

        QVERIFY(writeFileAtomically(file, "# mine, without end of line").ok());
        std::filesystem::permissions(file, std::filesystem::perms(0640));
        QVERIFY(rememberHostKey(file, "[gpu]:22", kOurs).ok());
        QCOMPARE(*readFile(file), "# mine, without end of line\n" + lineFor("[gpu]:22", kOurs));
        QCOMPARE(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
    }

    void keepsASymbolicLink()
    {
        QTemporaryDir dir;
        const std::string real = dir.filePath("real").toStdString(),
                          link = dir.filePath("link").toStdString();
        QVERIFY(writeFileAtomically(real, "").ok());
        std::filesystem::create_symlink(real, link);
        QVERIFY(rememberHostKey(link, "gpu", kOurs).ok());
        QVERIFY(std::filesystem::is_symlink(link));
        QCOMPARE(*readFile(real), lineFor("gpu", kOurs));
    }

    void forgetsAHostAndKeepsTheRest_data()
    {
        QTest::addColumn<std::string>("before");
        QTest::addColumn<std::string>("after");
        const std::string other = lineFor("elsewhere", kOther);
        const std::string key = lineFor("", kOurs);
        QTest::newRow("plain") << lineFor("gpu", kOurs) + other << other;
        QTest::newRow("every key") << lineFor("gpu", kOurs) + other + lineFor("GPU", kOther) << other;
        QTest::newRow("hashed") << lineFor(hashedHostName("gpu"), kOurs) + other << other;
        QTest::newRow("with the default port") << other + lineFor("[gpu]:22", kOurs) << other;
        QTest::newRow("another port") << lineFor("[gpu]:2222", kOurs) << lineFor("[gpu]:2222", kOurs);
        QTest::newRow("beside other names")
            << lineFor("gpu2,gpu,10.0.0.3", kOurs) << lineFor("gpu2,10.0.0.3", kOurs);
        QTest::newRow("without end of line") << other + "gpu" + key.substr(0, key.size() - 1) << other;
        QTest::newRow("a key that cannot be read") << "gpu ssh-ed25519 AAAA\n" + other << other;
        QTest::newRow("comments, empty lines, carriage returns")
            << "# gpu\n\n  gpu" + key + "elsewhere ssh-ed25519 AAAA\r\n"
            << std::string("# gpu\n\nelsewhere ssh-ed25519 AAAA\r\n");
        QTest::newRow("revoked stays")
            << "@revoked gpu" + key + lineFor("gpu", kOther) << "@revoked gpu" + key;
        QTest::newRow("nothing of it") << other << other;
    }
    void forgetsAHostAndKeepsTheRest()
    {
        QFETCH(std::string, before);
        QFETCH(std::string, after);
        QTemporaryDir dir;
        const std::string file = dir.filePath("known_hosts").toStdString();
        QVERIFY(writeFileAtomically(file, before).ok());
        std::filesystem::permissions(file, std::filesystem::perms(0640));
        const Status forgotten = forgetHost(file, "gpu");
        QVERIFY2(forgotten.ok(), forgotten.ok() ? "" : forgotten.error().text().c_str());
        QCOMPARE(*readFile(file), after);
        QCOMPARE(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
    }

    void forgetsWhatOpenSshForgets()
    {
        QTemporaryDir dir;
        const QString ours = dir.filePath("ours"), theirs = dir.filePath("theirs");
        std::string text = "# mine\n";
        for (const char* name : {"gpu", "gpu2", "10.0.0.3", "[gpu]:2222", "gpu"})
            text += lineFor(name, kOurs) + lineFor(hashedHostName(name), kOther);
        for (const std::string name : {"gpu", "[gpu]:2222", "10.0.0.3", "nobody"}) {
            for (const QString& file : {ours, theirs})
                QVERIFY(writeFileAtomically(file.toStdString(), text).ok());
            QVERIFY(forgetHost(ours.toStdString(), name).ok());
            QProcess keygen;
            keygen.start("ssh-keygen", {"-R", QString::fromStdString(name), "-f", theirs});
            QVERIFY(keygen.waitForFinished());
            QCOMPARE(*readFile(ours.toStdString()), *readFile(theirs.toStdString()));
        }
    }

    void forgetsNothingWhereAPatternNamesTheHost_data()
    {
        QTest::addColumn<std::string>("names");
        QTest::newRow("star") << std::string("gpu*");
        QTest::newRow("question mark") << std::string("elsewhere,gp?");
        QTest::newRow("beside a negation") << std::string("gpu,!gpu2");
    }
    void forgetsNothingWhereAPatternNamesTheHost()
    {
        QFETCH(std::string, names);
        QTemporaryDir dir;
        const std::string file = dir.filePath("known_hosts").toStdString();
        const std::string text = lineFor("gpu", kOurs) + lineFor(names, kOther);
        QVERIFY(writeFileAtomically(file, text).ok());
        const Status forgotten = forgetHost(file, "gpu");
        QCOMPARE(forgotten.error().kind, ErrorKind::Refused);
        QVERIFY(forgotten.error().message.find("line 2") != std::string::npos);
        QCOMPARE(*readFile(file), text);
    }

    void losesNothingWhenManyWriteAtOnce()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("known_hosts").toStdString();
        constexpr int kWriters = 8, kLines = 12;
        std::vector<std::thread> writers;
        for (int writer = 0; writer < kWriters; ++writer) {
            writers.emplace_back([&, writer] {
                for (int i = 0; i < kLines; ++i)
                    (void)rememberHostKey(file, "h" + std::to_string(writer % 2) + "-" + std::to_string(i),
                                          kOurs);
            });
        }
        for (auto& writer : writers)
            writer.join();
        const std::string text = *readFile(file);
        QCOMPARE(std::count(text.begin(), text.end(), '\n'),
                 2 * kLines); // half of the writers wrote the same
        const KnownHosts hosts = KnownHosts::load({file});
        for (int i = 0; i < kLines; ++i)
            QCOMPARE(hosts.check("h1-" + std::to_string(i), kOurs).verdict, KeyVerdict::Trusted);
    }

    void survivesRandomBytes()
    {
        std::srand(20261121);
        for (int round = 0; round < 500; ++round) {
            std::string text = lineFor("gpu", kOther);
            for (int i = 0; i < 20; ++i)
                text.insert(static_cast<std::size_t>(std::rand()) % text.size(), 1,
                            static_cast<char>(std::rand()));
            KnownHosts hosts;
            hosts.addText("x", text);
            QVERIFY(hosts.check("gpu", kOurs).verdict != KeyVerdict::Trusted);
        }
    }
};

QTEST_APPLESS_MAIN(TestKnownHosts)
#include "tst_known_hosts.moc"
