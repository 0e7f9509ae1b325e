#include <csignal>
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/records/buffered_journal_writer.h"

using namespace trainyard;

namespace {

/// Stands for a full disk: no file of this process may grow beyond `bytes` while it lives.
class FullDisk {
public:
    explicit FullDisk(std::uint64_t bytes)
    {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    rlimit m_before{};
};

StepRecord step(std::int64_t number)
{
    StepRecord record;
    record.step = number;
    return record;
}

} // namespace

class TestPatientJournal : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void losesNoStepToAFullDiskAndTellsTheGap()
    {
        auto journal = BufferedJournalWriter::open(path(), "steps", 1).value();
        QVERIFY(journal.append(step(1)).ok());
        {
            const FullDisk full(std::filesystem::file_size(path() / "steps") + 10);
            for (int i = 2; i <= 50; ++i)
                QVERIFY(journal.append(step(i)).ok());
            QVERIFY(journal.append(DeviceSample{}, BufferedJournalWriter::Worth::Sample).ok());
            QVERIFY(journal.isWaiting());
            QVERIFY(!journal.sync().ok());
            QCOMPARE(readJournal(path() / "steps").value().records.size(), std::size_t(1));
        }
        QVERIFY(journal.append(step(51)).ok());
        QVERIFY(!journal.isWaiting());
        QVERIFY(journal.sync().ok());
        const auto records = readJournal(path() / "steps").value().records;
        QCOMPARE(records.size(), std::size_t(52));
        std::int64_t previous = 0;
        for (std::size_t i = 0; i < 50; ++i) {
            QCOMPARE(std::get<StepRecord>(records[i].payload).step, std::int64_t(i + 1));
            QVERIFY(records[i].time.monotonicNs >= previous); // its own time, not that of the writing
            previous = records[i].time.monotonicNs;
        }
        const auto& gap = std::get<EventRecord>(records[50].payload);
        QCOMPARE(gap.kind, std::string("gap"));
        QVERIFY(gap.message.find("49 records were written late, 1 samples are missing") != std::string::npos);
        QCOMPARE(std::get<StepRecord>(records[51].payload).step, std::int64_t(51));
    }

    void whatWaitsKeepsItsAttempt()
    {
        auto journal = BufferedJournalWriter::open(path(), "run", 1).value();
        QVERIFY(journal.append(step(1)).ok());
        {
            const FullDisk full(std::filesystem::file_size(path() / "run") + 10);
            QVERIFY(journal.append(step(2)).ok());
            journal.beginAttempt(2);
            QVERIFY(journal.append(step(2)).ok());
        }
        QVERIFY(journal.append(step(3)).ok());
        QStringList attempts;
        for (const Record& record : readJournal(path() / "run").value().records)
            attempts << QString::number(record.attempt);
        QCOMPARE(attempts.join(' '), QString("1 1 2 2 2")); // the fourth tells the gap
    }

    void doesNotWaitWithoutBounds()
    {
        auto journal = BufferedJournalWriter::open(path(), "run", 1).value();
        const FullDisk full(8);
        EventRecord event;
        event.message.assign(1 << 20, 'x');
        int taken = 0;
        while (journal.append(event).ok())
            ++taken;
        QCOMPARE(taken, 15); // of 1 MiB and a little each
    }

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(TestPatientJournal)
#include "tst_patient_journal.moc"
