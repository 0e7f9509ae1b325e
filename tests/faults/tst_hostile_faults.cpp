#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/resident_set.h"
#include "engine/base/units.h"
#include "remote/stream/run_follower.h"
#include "remote/target/read_file.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

constexpr Bytes kMaxGrowth = 50 * kMiB;
constexpr int kAttack = 1500; // what never ends is watched for so long

/// How this process fares while something is going on: memory, and whether its event loop turns.
class Watch {
public:
    Watch()
    {
        m_turn.start();
        QObject::connect(&m_timer, &QTimer::timeout, [this] { look(); });
        m_timer.start(5ms);
    }

    Bytes growth() const { return m_peak - std::min(m_peak, m_before); }
    qint64 longestPauseMs() const { return m_longestPause; }

private:
    void look()
    {
        m_peak = std::max(m_peak, residentSetBytes());
        m_longestPause = std::max(m_longestPause, m_turn.restart());
    }

    Bytes m_before = residentSetBytes();
    Bytes m_peak = 0;
    qint64 m_longestPause = 0;
    QElapsedTimer m_turn;
    QTimer m_timer;
};

QString summary(const QString& what, const Watch& watch)
{
    return QString("%1: +%2 MiB, event loop still for at most %3 ms")
        .arg(what)
        .arg(watch.growth() / kMiB)
        .arg(watch.longestPauseMs());
}

bool isInert(const QString& text)
{
    return std::none_of(text.begin(), text.end(), [](QChar c) {
        return (c.category() == QChar::Other_Control && c != u'\n' && c != u'\t') ||
               c.category() == QChar::Other_Format;
    });
}

} // namespace

/// Hosts that send what no agent would send. The desk is this process.
class TestHostileFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        qputenv("XDG_DATA_HOME", m_desk.path().toUtf8());
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "128m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void f29_endlessOutput()
    {
        FaultReport report(29, "Endless stdout and stderr without a line break",
                           "cut off, the desk grows by less than 50 MiB and lives");
        for (const bool overSsh : {false, true}) {
            for (const char* how : {"noise", "errors", "chunks", "interim"}) {
                const Watch watch;
                const auto target = attackedBy(how, overSsh);
                QTest::qWait(kAttack);
                report.injected(QString("%1 %2").arg(how, overSsh ? "over SSH" : "from a local agent"));
                report.observed(summary(how, watch));
                QVERIFY2(watch.growth() < kMaxGrowth, qPrintable(summary(how, watch)));
                QVERIFY(target->state() != Target::State::Closed);
                if (QLatin1String(how) == "noise") {
                    AWAIT(target->lastError().has_value());
                    QVERIFY(target->lastError()->message.size() < 8192);
                }
            }
        }
    }

    void f30_actingText()
    {
        FaultReport report(30, "Escape sequences, HTML and bidi in host names, errors and names",
                           "shown inert, everywhere the same");
        QStringList notices;
        const auto target = attackedBy("names", true, &notices);
        AWAIT_EQUAL(target->state(), Target::State::Ready);
        std::optional<Result<QJsonObject>> reply, streams;
        target->call({{"op", "read"}, {"run", "r"}}, [&](const auto& r) { reply = r; });
        target->call({{"op", "streams"}, {"run", "r"}}, [&](const auto& r) { streams = r; });
        AWAIT(reply && streams);
        const QString message = QString::fromStdString(reply->error().text());
        QVERIFY(message.contains("<img src=x"));
        report.injected("an error and a host name with OSC, CSI, C1, HTML and a right-to-left override");
        QVERIFY2(isInert(message), qPrintable(message.toUtf8().toHex()));
        QVERIFY(isInert(target->agent()->host) && isInert(target->agent()->version));
        QVERIFY(!notices.isEmpty());
        for (const QString& notice : notices)
            QVERIFY2(isInert(notice), qPrintable(notice.toUtf8().toHex()));
        QVERIFY(isInert(QJsonDocument(streams->value()).toJson()));
        report.observed("errors, facts, names and notices came through without one acting character: " +
                        message);
    }

    void f31_namesThatLeadElsewhere()
    {
        FaultReport report(31, "Paths with .., absolute paths and hidden names from a host",
                           "nothing outside of the mirror's folder, a bounded number inside");
        QTemporaryDir desk;
        const Watch watch;
        TargetPool pool(optionsFor("names", true));
        RunFollower follower("run", {host(true)}, pool, desk.filePath("inner/mirror"));
        follower.setLookInterval(100ms);
        follower.start();
        AWAIT_EQUAL(pool.target(host(true)).state(), Target::State::Ready);
        AWAIT(QFile::exists(desk.filePath("inner/mirror/journal/steps")));
        QTest::qWait(kAttack);
        report.injected("streams named ../escaped, /etc/escaped, a/b, .., .hidden and 9,000 more");
        QCOMPARE(QDir(desk.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"inner"});
        QCOMPARE(QDir(desk.filePath("inner/mirror"))
                     .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"journal"});
        QVERIFY(!QFile::exists("/etc/escaped"));
        const QStringList mirrors =
            QDir(desk.filePath("inner/mirror/journal")).entryList(QDir::Files | QDir::Hidden);
        QVERIFY2(mirrors.size() <= 17, qPrintable(mirrors.join(' ')));
        for (const QString& mirror : mirrors)
            QVERIFY2(!mirror.startsWith('.') && !mirror.contains("orig"), qPrintable(mirror));
        QVERIFY2(watch.growth() < kMaxGrowth, qPrintable(summary("names", watch)));
        report.observed(QString("%1 mirrors, nothing else; %2").arg(mirrors.size()).arg(summary("", watch)));
    }

    void f32_wrongFrames()
    {
        FaultReport report(
            32, "Huge, zero and negative lengths, wrong types and checksums, JSON bombs, lies about sizes",
            "an error that says so, no allocation beyond the limit");
        for (const char* how : {"length", "negative", "zero", "type", "checksum", "depth", "values"}) {
            const Watch watch;
            const auto target = attackedBy(how, false);
            AWAIT(target->lastError().has_value());
            report.injected(how);
            QCOMPARE(target->lastError()->kind, ErrorKind::Unreachable);
            QVERIFY2(watch.growth() < kMaxGrowth, qPrintable(summary(how, watch)));
            report.observed(summary(how, watch) + " (" +
                            QString::fromStdString(target->lastError()->message) + ')');
        }
        slowFrame(report);
        tooMuchOfAFile(report);
        endlessRecord(report);
    }

    void f33_metacharactersInNames()
    {
        FaultReport report(33, "Shell metacharacters in host, run and stream names",
                           "literal everywhere or refused before anything runs");
        const QString witness = m_desk.filePath("witness");
        int tried = 0;
        for (const QString& name : nastyNames(witness)) {
            TargetPool pool(m_lab->targetOptions());
            Target& nowhere = pool.target(name);
            AWAIT(nowhere.state() == Target::State::Refused || nowhere.lastError().has_value());
            QVERIFY(nowhere.state() != Target::State::Ready);
            ++tried;
        }
        TargetPool pool(m_lab->targetOptions());
        Target& good = pool.target(m_lab->host(0).address());
        AWAIT_EQUAL(good.state(), Target::State::Ready);
        for (const QString& name : nastyNames("/tmp/witness")) {
            for (const char* op : {"create-run", "tail", "stop", "launch", "remove-run"}) {
                std::optional<Result<QJsonObject>> reply;
                good.call({{"op", op}, {"run", name}, {"stream", name}, {"kind", "train"}, {"spec", "{}"}},
                          [&](const auto& r) { reply = r; });
                AWAIT(reply.has_value());
                QCOMPARE(reply->error().kind, ErrorKind::BadInput);
                ++tried;
            }
        }
        report.injected(QString("%1 requests and connections with 39 names").arg(tried));
        QVERIFY(!QFile::exists(witness));
        QVERIFY(!m_lab->host(0).run({"test", "-e", "/tmp/witness"}).ok());
        QVERIFY(m_lab->host(0).run({"test", "-d", "/tmp"}).ok());
        report.observed("all refused as bad input; no witness file on desk or host");
    }

private:
    QString host(bool overSsh) const { return overSsh ? m_lab->host(0).address() : QString("localhost"); }

    TargetOptions optionsFor(const QString& how, bool overSsh)
    {
        TargetOptions options = overSsh ? m_lab->targetOptions() : TargetOptions();
        options.agentPath = QStringLiteral(TRAINYARD_TESTS_DIR "/hostile_agent");
        options.agentRoot = m_desk.path();
        const QString folder = overSsh ? m_lab->host(0).path("/root/.trainyard") : m_desk.path();
        QDir().mkpath(folder);
        QFile file(folder + "/hostile");
        if (file.open(QIODevice::WriteOnly))
            file.write(how.toUtf8());
        return options;
    }

    std::unique_ptr<Target> attackedBy(const QString& how, bool overSsh, QStringList* notices = nullptr)
    {
        auto target = Target::create(host(overSsh), optionsFor(how, overSsh));
        if (notices)
            connect(target.get(), &Target::notice, this,
                    [notices](const QString& text) { *notices << text; });
        target->open();
        return target;
    }

    void slowFrame(FaultReport& report)
    {
        const Watch watch;
        const auto target = attackedBy("half", true);
        QTest::qWait(kAttack);
        report.injected("a frame of 1 MiB, a byte a millisecond");
        QVERIFY(watch.growth() < kMaxGrowth);
        report.observed(summary("half", watch));
    }

    void tooMuchOfAFile(FaultReport& report)
    {
        const Watch watch;
        const auto target = attackedBy("read", false);
        AWAIT_EQUAL(target->state(), Target::State::Ready);
        std::optional<Result<QByteArray>> content;
        readWhole(*target, {{"op", "read"}, {"run", "r"}, {"file", "f"}}, this,
                  [&](const auto& r) { content = r; });
        AWAIT(content.has_value());
        report.injected("100 MiB in answer to a read of 512 KiB");
        QVERIFY(!content->ok());
        QVERIFY2(watch.growth() < kMaxGrowth, qPrintable(summary("read", watch)));
        report.observed(summary("read", watch) + " (" + QString::fromStdString(content->error().message) +
                        ')');
    }

    void endlessRecord(FaultReport& report)
    {
        QTemporaryDir desk;
        const Watch watch;
        TargetPool pool(optionsFor("record", false));
        RunFollower follower("run", {host(false)}, pool, desk.path());
        std::optional<Error> problem;
        connect(&follower, &RunFollower::problem, this, [&](const Error& error) { problem = error; });
        follower.start();
        AWAIT(problem.has_value());
        report.injected("a record that claims 16 MiB and never ends");
        QVERIFY2(watch.growth() < kMaxGrowth, qPrintable(summary("record", watch)));
        QVERIFY(QFile(desk.filePath("journal/steps")).size() <= 8);
        report.observed(summary("record", watch) + " (" + QString::fromStdString(problem->message) + ')');
    }

    static QStringList nastyNames(const QString& witness)
    {
        QStringList names;
        for (const QString& part :
             {QString("; touch %1"), QString("$(touch %1)"), QString("`touch %1`"), QString("| touch %1"),
              QString("&& touch %1"), QString("\ntouch %1\n"), QString("' ; touch %1 ; '"),
              QString("\" ; touch %1 ; \""), QString("> %1"), QString("-oProxyCommand=touch %1"),
              QString("--version; touch %1"), QString("${IFS}touch %1")})
            names << part.arg(witness) << "host" + part.arg(witness) << part.arg(witness) + "@host";
        return names << "../../etc"
                     << "a/b"
                     << "..";
    }

    QTemporaryDir m_desk;
    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestHostileFaults)
#include "tst_hostile_faults.moc"
