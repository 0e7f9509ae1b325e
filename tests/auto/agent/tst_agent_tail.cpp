#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "engine/records/journal.h"
#include "tests/auto/agent/agent_client.h"

using namespace trainyard;

namespace {

constexpr int kRecords = 20'000;
constexpr int kKills = 40;
constexpr unsigned kSeed = 20'261'121;

std::int64_t percentile(std::vector<std::int64_t> values, double share)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

} // namespace

/// A mirror of a journal that is being written, through an agent that dies again and again.
class TestAgentTail : public QObject {
    Q_OBJECT

private slots:
    void losesAndDoublesNothingOverFortyKilledAgents()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const auto journal = root / "runs" / "r" / "journal";
        std::filesystem::create_directories(journal);
        std::atomic<bool> done{false};
        std::atomic<int> kills{0};
        std::atomic<int> written{0};
        std::thread writer([&] {
            auto file = JournalWriter::open(journal, "steps", 1).value();
            for (int i = 1; i <= kRecords || kills < kKills; ++i) {
                StepRecord record;
                record.step = i;
                record.ranks.resize(static_cast<std::size_t>(i % 5));
                if (!file.append(record).ok())
                    break;
                written = i;
                if (i % 10 == 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(3));
            }
            done = true;
        });

        std::mt19937 random(kSeed);
        std::string mirror;
        JournalParser parser;
        std::int64_t parsed = 0;
        std::vector<std::int64_t> resumeMs;
        while (!done || mirror.size() < std::filesystem::file_size(journal / "steps")) {
            QElapsedTimer timer;
            timer.start();
            AgentClient agent(root);
            const auto tail =
                agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}, {"offset", mirror.size()}});
            const auto life = std::chrono::milliseconds(20 + random() % 60);
            bool first = true;
            const auto until = std::chrono::steady_clock::now() + life;
            while (std::chrono::steady_clock::now() < until || kills >= kKills) {
                const std::string bytes = agent.takeChunks(tail, 1, std::chrono::milliseconds(100));
                if (first && !bytes.empty())
                    resumeMs.push_back(timer.elapsed());
                first = first && bytes.empty();
                mirror += bytes;
                for (const Record& record : parser.feed(bytes).value())
                    QCOMPARE(std::get<StepRecord>(record.payload).step, ++parsed);
                QCOMPARE(parser.validBytes(), std::uint64_t(mirror.size())); // only whole records ever arrive
                if (done && mirror.size() == std::filesystem::file_size(journal / "steps"))
                    break;
            }
            if (kills < kKills) {
                agent.kill();
                ++kills;
            }
        }
        writer.join();
        QVERIFY(written >= kRecords);
        QCOMPARE(parsed, std::int64_t(written));
        QVERIFY(mirror == readFile(journal / "steps").value());
        qInfo("%d records, %d kills (seed %u): 0 lost, 0 doubled; first bytes after a start p50 %lld ms, max "
              "%lld ms",
              written.load(), kills.load(), kSeed, static_cast<long long>(percentile(resumeMs, 0.5)),
              static_cast<long long>(percentile(resumeMs, 1.0)));
    }

    void manyStreamsArriveAtOnce()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        const auto journal = root / "runs" / "r" / "journal";
        std::vector<std::uint32_t> tails;
        AgentClient agent(root);
        for (int stream = 0; stream < 50; ++stream) {
            auto file = JournalWriter::open(journal, "node-" + std::to_string(stream), 1).value();
            for (int i = 0; i <= stream; ++i)
                QVERIFY(file.append(DeviceSample{stream, 1, 2, 0.5, 3}).ok());
            tails.push_back(
                agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "node-" + std::to_string(stream)}}));
        }
        for (int stream = 0; stream < 50; ++stream) {
            const std::string whole = readFile(journal / ("node-" + std::to_string(stream))).value();
            QVERIFY(agent.takeChunks(tails[static_cast<std::size_t>(stream)], whole.size()) == whole);
        }
    }

    void aNewRecordArrivesAtOnce()
    {
        QTemporaryDir folder;
        const std::filesystem::path root = folder.path().toStdString();
        auto file = JournalWriter::open(root / "runs" / "r" / "journal", "steps", 1).value();
        AgentClient agent(root);
        const auto tail = agent.send({{"op", "tail"}, {"run", "r"}, {"stream", "steps"}});
        agent.takeChunks(tail, 8);
        std::vector<std::int64_t> milliseconds;
        for (int i = 0; i < 50; ++i) {
            QTest::qSleep(5 + i % 20);
            QElapsedTimer timer;
            timer.start();
            QVERIFY(file.append(StepRecord{}).ok());
            QVERIFY(!agent.takeChunks(tail, 1).empty());
            milliseconds.push_back(timer.elapsed());
        }
        QVERIFY(percentile(milliseconds, 0.5) <=
                1000); // 10 on an idle machine; nobody asks again for seconds
        qInfo("from append to arrival: p50 %lld ms, max %lld ms",
              static_cast<long long>(percentile(milliseconds, 0.5)),
              static_cast<long long>(percentile(milliseconds, 1.0)));
    }
};

QTEST_GUILESS_MAIN(TestAgentTail)
#include "tst_agent_tail.moc"
