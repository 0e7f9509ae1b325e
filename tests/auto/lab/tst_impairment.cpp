#include <array>
#include <bit>
#include <set>

#include <QTest>

#include "tests/support/link/frame_corruption.h"
#include "tests/support/link/impairment.h"

using namespace trainyard;
using namespace trainyard::link;
using namespace std::chrono_literals;

using Frame = std::vector<std::uint8_t>;

namespace {

constexpr TimePoint kStart{1'000'000s};

LinkConditions everything()
{
    LinkConditions conditions;
    conditions.delay = 20ms;
    conditions.jitter = 10ms;
    conditions.loss = 0.1;
    conditions.corruption = 0.2;
    conditions.duplication = 0.3;
    conditions.reordering = 0.4;
    conditions.hold = 7ms;
    conditions.rate = 1'000'000;
    conditions.burst = 3000;
    conditions.queue = 50'000;
    return conditions;
}

/// The fates of frames of 1,000 bytes that come every millisecond.
std::vector<Fate> fates(Impairment impairment, int count)
{
    std::vector<Fate> all;
    for (int i = 0; i < count; ++i)
        all.push_back(impairment.decide(1000, kStart + i * 1ms));
    return all;
}

std::vector<Fate> fates(std::uint64_t seed, const LinkConditions& conditions, int count)
{
    Impairment impairment(seed);
    impairment.set(conditions);
    return fates(impairment, count);
}

QString print(const std::vector<Fate>& all)
{
    QString text;
    for (const Fate& fate : all) {
        text += QString("%1 %2 %3%4%5 %6\n")
                    .arg(int(fate.kind))
                    .arg((fate.departure - kStart).count())
                    .arg(fate.corrupted)
                    .arg(fate.duplicated)
                    .arg(fate.reordered)
                    .arg(fate.bit);
    }
    return text;
}

double share(const std::vector<Fate>& all, bool (*is)(const Fate&))
{
    return double(std::count_if(all.begin(), all.end(), is)) / double(all.size());
}

/// An Ethernet frame from 10.0.0.1 to 10.0.0.2 with this protocol and payload, and a wrong checksum.
Frame frameWith(std::uint8_t protocol, const std::string& payload)
{
    const bool tcp = protocol == 6;
    const std::size_t header = tcp ? 20 : 8;
    Frame frame(14 + 20 + header);
    frame[12] = 0x08; // IPv4
    frame[14] = 0x45;
    frame[17] = std::uint8_t(20 + header + payload.size());
    frame[23] = protocol;
    std::copy_n(std::array<std::uint8_t, 8>{10, 0, 0, 1, 10, 0, 0, 2}.begin(), 8, frame.begin() + 26);
    if (tcp)
        frame[14 + 20 + 12] = 5 << 4;
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
}

/// RFC 1071: the ones' complement sum over pseudo header and segment, checksum included, is all ones.
std::uint32_t sumOf(const Frame& frame)
{
    Frame summed(frame.begin() + 26, frame.begin() + 34);
    const std::size_t length = frame.size() - 34;
    summed.insert(summed.end(), {0, frame[23], std::uint8_t(length >> 8), std::uint8_t(length)});
    summed.insert(summed.end(), frame.begin() + 34, frame.end());
    if (summed.size() % 2 != 0)
        summed.push_back(0);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < summed.size(); i += 2)
        sum += std::uint32_t(summed[i]) << 8 | summed[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

int differingBits(const Frame& a, const Frame& b, std::size_t from)
{
    int bits = 0;
    for (std::size_t i = from; i < a.size(); ++i)
        bits += std::popcount(std::uint8_t(a[i] ^ b[i]));
    return bits;
}

} // namespace

class TestImpairment : public QObject {
    Q_OBJECT

private slots:
    void aCableDeliversAtOnceAndInOrder()
    {
        for (const Fate& fate : fates(1, {}, 1000)) {
            QVERIFY(fate.kind == Fate::Kind::Delivered);
            QVERIFY(!fate.corrupted && !fate.duplicated && !fate.reordered);
        }
        Impairment cable(1);
        QCOMPARE((cable.decide(1000, kStart).departure - kStart).count(), 0);
    }

    void theSameSeedDecidesAlike()
    {
        const QString once = print(fates(7, everything(), 2000));
        QCOMPARE(print(fates(7, everything(), 2000)), once);
        QVERIFY(print(fates(8, everything(), 2000)) != once);
    }

    /// What happened before under other conditions does not shift what is drawn now.
    void decisionsDependOnSeedAndFrameNumberAlone()
    {
        LinkConditions lossy;
        lossy.loss = 0.5;
        Impairment always(3), later(3);
        always.set(lossy);
        for (int i = 0; i < 100; ++i) {
            (void)always.decide(1000, kStart);
            (void)later.decide(1000, kStart);
        }
        later.set(lossy);
        QCOMPARE(print(fates(later, 500)), print(fates(always, 500)));
    }

    void sharesAreWhatWasAskedFor()
    {
        LinkConditions conditions = everything();
        conditions.rate = 0;
        const auto all = fates(11, conditions, 20'000);
        // Five standard deviations of a share p of n: 5 sqrt(p (1-p) / n) < 0.018 for every p.
        const auto near = [](double seen, double asked) { return std::abs(seen - asked) < 0.018; };
        QVERIFY(near(share(all, [](const Fate& f) { return f.kind == Fate::Kind::Lost; }), 0.1));
        // The rest is drawn of the nine tenths that were not lost.
        QVERIFY(near(share(all, [](const Fate& f) { return f.corrupted; }), 0.9 * 0.2));
        QVERIFY(near(share(all, [](const Fate& f) { return f.duplicated; }), 0.9 * 0.3));
        QVERIFY(near(share(all, [](const Fate& f) { return f.reordered; }), 0.9 * 0.4));
    }

    void jitterStaysInItsBoundsAndKeepsTheOrder()
    {
        LinkConditions conditions;
        conditions.delay = 20ms;
        conditions.jitter = 10ms;
        Impairment impairment(5);
        impairment.set(conditions);
        TimePoint last{};
        std::set<std::int64_t> delays;
        for (int i = 0; i < 1000; ++i) {
            const TimePoint now = kStart + i * 100ms; // nothing waits for its predecessor
            const TimePoint departure = impairment.decide(100, now).departure;
            QVERIFY(departure - now >= 10ms && departure - now <= 30ms);
            QVERIFY(departure >= last);
            last = departure;
            delays.insert((departure - now) / 1ms);
        }
        QVERIFY(delays.size() >= 20);
        for (int i = 0; i < 1000; ++i) {
            const TimePoint departure = impairment.decide(100, kStart + 200s + i * 1us).departure;
            QVERIFY(departure >= last);
            last = departure;
        }
    }

    void theRateLetsABurstPassAndThenOnlyWhatItSays()
    {
        LinkConditions conditions;
        conditions.rate = 100'000;
        conditions.burst = 5000;
        conditions.queue = 10'000;
        Impairment impairment(1);
        impairment.set(conditions);
        QStringList departures;
        for (int i = 0; i < 20; ++i) {
            const Fate fate = impairment.decide(1000, kStart);
            departures << (fate.kind == Fate::Kind::Delivered
                               ? QString::number((fate.departure - kStart) / 1ms)
                               : QString("dropped"));
        }
        // Five frames of burst, then one every 10 ms until 10,000 bytes wait.
        QCOMPARE(departures.join(' '),
                 QString("0 0 0 0 0 10 20 30 40 50 60 70 80 90 100 dropped dropped dropped "
                         "dropped dropped"));
    }

    void aBlockedLinkLetsNothingPass()
    {
        LinkConditions conditions;
        conditions.blocked = true;
        for (const Fate& fate : fates(1, conditions, 10))
            QVERIFY(fate.kind == Fate::Kind::Blocked);
    }

    void corruptionIsOneBitThatTheChecksumDoesNotShow_data()
    {
        QTest::addColumn<int>("protocol");
        QTest::addColumn<QByteArray>("payload");
        QTest::addRow("TCP") << 6 << QByteArray("hello");
        QTest::addRow("TCP, even length") << 6 << QByteArray("hello!");
        QTest::addRow("UDP") << 17 << QByteArray("hello");
    }
    void corruptionIsOneBitThatTheChecksumDoesNotShow()
    {
        QFETCH(int, protocol);
        QFETCH(QByteArray, payload);
        const Frame before = frameWith(std::uint8_t(protocol), payload.toStdString());
        const std::size_t payloadAt = before.size() - std::size_t(payload.size());
        std::set<Frame> results;
        for (std::uint64_t bit = 0; bit < 8 * std::uint64_t(payload.size()); ++bit) {
            Frame frame = before;
            QVERIFY(flipPayloadBit(frame, bit));
            QCOMPARE(differingBits(frame, before, payloadAt), 1);
            QCOMPARE(sumOf(frame), 0xffffU);
            results.insert(frame);
        }
        QCOMPARE(results.size(), 8 * std::size_t(payload.size())); // every bit can be the one
    }

    void whatHasNoPayloadStaysAsItIs()
    {
        for (Frame frame : {frameWith(6, ""), frameWith(1, "ping"), Frame(10), Frame(60), Frame()}) {
            const Frame before = frame;
            QVERIFY(!flipPayloadBit(frame, 3));
            QVERIFY(frame == before);
        }
    }

    void neverReadsBeyondAFrameThatLiesAboutItsLengths()
    {
        const Frame whole = frameWith(6, "some payload");
        for (std::size_t at = 12; at < whole.size(); ++at) {
            for (const int value : {0, 1, 0x0f, 0x40, 0x7f, 0xff}) {
                for (std::size_t size = 0; size <= whole.size(); ++size) {
                    Frame frame = whole;
                    frame[at] = std::uint8_t(value);
                    frame.resize(size);
                    frame.shrink_to_fit(); // so that a sanitizer sees the end
                    flipPayloadBit(frame, at * 8 + 5);
                }
            }
        }
    }

    void conditionsTravelAsWords()
    {
        LinkConditions conditions = everything();
        conditions.blocked = true;
        const auto read = parseConditions(toWords(conditions));
        QVERIFY2(read.ok(), toWords(conditions).c_str());
        QVERIFY(*read == conditions);
        QCOMPARE(toWords({}), std::string());
        QVERIFY(*parseConditions("") == LinkConditions());
    }

    void refusesWhatIsNoCondition_data()
    {
        QTest::addColumn<QString>("words");
        for (const char* words : {"loss=1.5", "loss=-0.1", "loss=nan", "loss", "=1", "delay=25",
                                  "delay_us=2.5", "delay_us=-1", "rate=fast", "blocked=2", "loss=0.1x"})
            QTest::addRow("%s", words) << QString(words);
    }
    void refusesWhatIsNoCondition()
    {
        QFETCH(QString, words);
        QVERIFY(!parseConditions(words.toStdString()).ok());
    }
};

QTEST_GUILESS_MAIN(TestImpairment)
#include "tst_impairment.moc"
