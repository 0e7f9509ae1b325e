#include <cmath>
#include <set>

#include <QTest>
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/lab/netns_lab.h"

using namespace trainyard;
using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint16_t kPort = 7000;

struct Arrival {
    int number = 0;
    double delayMs = 0;
    Clock::time_point at;
    bool damaged = false;
};

/// What one datagram carries; the filling shows damage.
struct Probe {
    std::int32_t number = 0;
    std::int64_t sentAt = 0; ///< steady clock, which both ends share
    std::array<char, 1000> filling{};

    bool intact() const
    {
        return std::all_of(filling.begin(), filling.end(), [](char c) { return c == 'x'; });
    }
};

/// A datagram socket in the network namespace of process `pid` (0 = ours). A socket stays where it was made.
FileDescriptor socketIn(qint64 pid)
{
    const FileDescriptor own(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    const FileDescriptor there(::open(qPrintable(QString("/proc/%1/ns/net").arg(pid)), O_RDONLY | O_CLOEXEC));
    if (pid != 0)
        [&] { QCOMPARE(::setns(there.get(), CLONE_NEWNET), 0); }();
    FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    // Room for all that comes while this process does not get its turn.
    const int room = 16 * 1024 * 1024;
    [&] { QCOMPARE(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), 0); }();
    if (pid != 0)
        [&] { QCOMPARE(::setns(own.get(), CLONE_NEWNET), 0); }();
    return socket;
}

sockaddr_in addressOf(const QString& host)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kPort);
    ::inet_pton(AF_INET, qPrintable(host), &address.sin_addr);
    return address;
}

void send(int socket, const sockaddr_in& to, int number)
{
    Probe probe;
    probe.number = number;
    probe.sentAt = Clock::now().time_since_epoch().count();
    probe.filling.fill('x');
    // An answer to an earlier datagram (nobody listens) would be reported here; the next attempt succeeds.
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (::sendto(socket, &probe, sizeof probe, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) > 0)
            return;
    }
    QFAIL("a datagram could not be sent");
}

std::optional<Arrival> receive(int socket, std::chrono::milliseconds patience)
{
    pollfd watched{socket, POLLIN, 0};
    Probe probe;
    if (::poll(&watched, 1, int(patience.count())) != 1 || ::recv(socket, &probe, sizeof probe, 0) < 0)
        return {};
    const auto now = Clock::now();
    const double delayMs = double(now.time_since_epoch().count() - probe.sentAt) / 1e6;
    return Arrival{probe.number, delayMs, now, !probe.intact()};
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::vector<double> delays(const std::vector<Arrival>& arrivals)
{
    std::vector<double> all;
    for (const Arrival& arrival : arrivals)
        all.push_back(arrival.delayMs);
    return all;
}

QList<int> numbers(const std::vector<Arrival>& arrivals)
{
    QList<int> all;
    for (const Arrival& arrival : arrivals)
        all << arrival.number;
    return all;
}

int overtaken(const std::vector<Arrival>& arrivals)
{
    int count = 0;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
        count += arrivals[i].number < arrivals[i - 1].number;
    return count;
}

} // namespace

/// The link tool between two real network stacks.
class TestLink : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = makeLab();
        openSockets(*m_lab);
    }
    void cleanupTestCase() { m_lab.reset(); }
    void init() { setLink({}); }

    void aCableDeliversEverythingInOrder()
    {
        const auto arrivals = probe(500);
        QCOMPARE(arrivals.size(), 500U);
        QCOMPARE(overtaken(arrivals), 0);
        QVERIFY(std::none_of(arrivals.begin(), arrivals.end(), [](const Arrival& a) { return a.damaged; }));
        qInfo() << "delay of a cable:" << median(delays(arrivals)) << "ms";
    }

    void delaysByWhatWasAskedFor()
    {
        link::LinkConditions conditions;
        conditions.delay = 50ms;
        setLink(conditions);
        const auto arrivals = probe(200);
        QCOMPARE(arrivals.size(), 200U);
        const std::vector<double> all = delays(arrivals);
        const double least = *std::min_element(all.begin(), all.end()); // others may wait for this process
        QVERIFY2(least >= 50 && least < 60, qPrintable(QString::number(least)));
    }

    void jitterSpreadsTheDelay()
    {
        link::LinkConditions conditions;
        conditions.delay = 40ms;
        conditions.jitter = 30ms;
        setLink(conditions);
        const auto arrivals = probe(200, 5ms);
        std::vector<double> all = delays(arrivals);
        std::sort(all.begin(), all.end());
        QVERIFY(all.front() >= 10);
        QVERIFY2(all.front() < 30 && all[all.size() * 3 / 4] > 40,
                 qPrintable(QString("%1 %2").arg(all.front()).arg(all[all.size() * 3 / 4])));
        QCOMPARE(overtaken(arrivals), 0);
    }

    void losesAboutTheShareThatWasAskedFor()
    {
        link::LinkConditions conditions;
        conditions.loss = 0.2;
        setLink(conditions);
        const auto before = m_lab->host(0).linkCounters().value("to_host").toObject();
        const auto arrivals = probe(2000, 100us);
        const auto after = m_lab->host(0).linkCounters().value("to_host").toObject();
        const double lost = 1 - double(arrivals.size()) / 2000;
        QVERIFY2(std::abs(lost - 0.2) < 0.05, qPrintable(QString::number(lost))); // five standard deviations
        // Frames that are not ours (neighbour discovery) may be among the lost.
        const int counted = after.value("lost").toInt() - before.value("lost").toInt();
        QVERIFY(counted >= 2000 - int(arrivals.size()) && counted <= 2000 - int(arrivals.size()) + 10);
    }

    void corruptsWhatTheChecksumDoesNotShow()
    {
        link::LinkConditions conditions;
        conditions.corruption = 0.3;
        setLink(conditions);
        const auto arrivals = probe(1000, 100us);
        QCOMPARE(arrivals.size(), 1000U); // the receiving stack dropped none as damaged
        const auto damaged = std::count_if(arrivals.begin(), arrivals.end(), [](const Arrival& a) {
            return a.damaged || a.number < 0 || a.number >= 1000 || a.delayMs < 0 || a.delayMs > 1e5;
        });
        QVERIFY2(std::abs(double(damaged) / 1000 - 0.3) < 0.08, qPrintable(QString::number(damaged)));
    }

    void duplicates()
    {
        link::LinkConditions conditions;
        conditions.duplication = 0.25;
        setLink(conditions);
        const auto arrivals = probe(1000, 100us, false, 2000);
        const double twice = double(arrivals.size()) / 1000 - 1;
        QVERIFY2(std::abs(twice - 0.25) < 0.08, qPrintable(QString::number(twice)));
        const QList<int> all = numbers(arrivals);
        QCOMPARE(std::set<int>(all.begin(), all.end()).size(), 1000U);
    }

    void reorders()
    {
        link::LinkConditions conditions;
        conditions.reordering = 0.1;
        conditions.hold = 100ms; // for longer than the next one may have to wait for this process
        setLink(conditions);
        const auto arrivals = probe(1000, 500us);
        QCOMPARE(arrivals.size(), 1000U);
        // Each one held back is overtaken, unless its neighbours were held back too.
        QVERIFY2(overtaken(arrivals) > 40, qPrintable(QString::number(overtaken(arrivals))));
    }

    void keepsToTheRate()
    {
        link::LinkConditions conditions;
        conditions.rate = 500'000;
        conditions.burst = 10'000;
        conditions.queue = 10'000'000;
        setLink(conditions);
        const auto begin = Clock::now();
        const auto arrivals = probe(500, 0us); // 527,000 bytes with their headers
        QCOMPARE(arrivals.size(), 500U);
        const double took = std::chrono::duration<double>(arrivals.back().at - begin).count();
        QVERIFY2(took > 1 && took < 10, qPrintable(QString::number(took))); // 1.03 s, and a busy machine
    }

    void blocksOneDirectionAlone()
    {
        link::LinkConditions blocked;
        blocked.blocked = true;
        setLink(blocked, {});
        QVERIFY(probe(20).empty());
        QCOMPARE(probe(20, 1ms, true).size(), 20U);
        setLink({}, blocked);
        QCOMPARE(probe(20).size(), 20U);
        QVERIFY(probe(20, 1ms, true).empty());
    }

    /// With one seed the same datagrams are lost, in another lab as well.
    void theSameSeedLosesTheSameDatagrams()
    {
        const auto lost = [this](quint64 seed) {
            const auto lab = makeLab(seed);
            openSockets(*lab);
            link::LinkConditions conditions;
            conditions.loss = 0.3;
            [&] { QCOMPARE(lab->host(0).setLink(conditions, {}), QString()); }();
            const QList<int> seen = numbers(probeOn(*lab, 400, 200us, false, 400));
            QString fates(400, '0');
            for (const int number : seen)
                fates[number] = '1';
            return fates;
        };
        const QString first = lost(5), again = lost(5), other = lost(6);
        // Frames of the stacks themselves (neighbour discovery) come in between and shift the rest: 60 equal
        // fates in a row do not come by chance.
        const auto alike = [&first](const QString& fates) {
            for (int from = 0; from + 60 <= first.size(); ++from) {
                if (fates.contains(first.mid(from, 60)))
                    return true;
            }
            return false;
        };
        QVERIFY(alike(again));
        QVERIFY(!alike(other));
    }

    void saysWhatItDoesNotUnderstand()
    {
        link::LinkConditions impossible;
        impossible.loss = 2;
        QVERIFY(m_lab->host(0).setLink(impossible).contains("loss=2"));
    }

private:
    static std::unique_ptr<lab::NetnsLab> makeLab(quint64 seed = 1)
    {
        lab::NetnsLab::Options options;
        options.linkTools = true;
        options.seed = seed;
        auto lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = lab->start();
        [&] { QVERIFY2(trouble.isEmpty(), qPrintable(trouble)); }();
        return lab;
    }

    void openSockets(lab::NetnsLab& lab)
    {
        m_desk = socketIn(0);
        m_host = socketIn(lab.host(0).pid());
        const sockaddr_in everywhere = addressOf("0.0.0.0");
        QCOMPARE(::bind(m_host.get(), reinterpret_cast<const sockaddr*>(&everywhere), sizeof everywhere), 0);
        QString desk = lab.host(0).address();
        desk = desk.left(desk.lastIndexOf('.')) + ".254";
        const sockaddr_in bridge = addressOf(desk);
        QCOMPARE(::bind(m_desk.get(), reinterpret_cast<const sockaddr*>(&bridge), sizeof bridge), 0);
        m_deskAddress = bridge;
    }

    void setLink(const link::LinkConditions& both) { setLink(both, both); }
    void setLink(const link::LinkConditions& toHost, const link::LinkConditions& fromHost)
    {
        QCOMPARE(m_lab->host(0).setLink(toHost, fromHost), QString());
    }

    std::vector<Arrival> probe(int count, std::chrono::microseconds pause = 1ms, bool back = false,
                               std::size_t most = 0)
    {
        return probeOn(*m_lab, count, pause, back, most > 0 ? most : std::size_t(count));
    }

    /// Sends numbered datagrams, one after each pause, and collects what arrives: `most`, or until nothing
    /// came for so long that nothing can be on its way.
    std::vector<Arrival> probeOn(lab::NetnsLab& lab, int count, std::chrono::microseconds pause, bool back,
                                 std::size_t most)
    {
        const int from = back ? m_host.get() : m_desk.get(), to = back ? m_desk.get() : m_host.get();
        const sockaddr_in address = back ? m_deskAddress : addressOf(lab.host(0).address());
        std::vector<Arrival> arrivals;
        for (int i = 0; i < count; ++i) {
            send(from, address, i);
            const auto until = Clock::now() + pause;
            do {
                while (const auto arrival = receive(to, 0ms))
                    arrivals.push_back(*arrival);
            } while (Clock::now() < until);
        }
        while (arrivals.size() < most) {
            const auto arrival = receive(to, 3000ms);
            if (!arrival)
                break;
            arrivals.push_back(*arrival);
        }
        return arrivals;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    FileDescriptor m_desk, m_host;
    sockaddr_in m_deskAddress{};
};

QTEST_GUILESS_MAIN(TestLink)
#include "tst_link.moc"
