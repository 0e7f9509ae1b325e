#include <cstring>
#include <numeric>

#include <QTest>
#include <mpi.h>

#include "engine/comm/mpi_outbox.h"
#include "engine/comm/mpi_transport.h"

using namespace trainyard;

/// Runs under mpirun: messages larger than MPI takes in a call, which here is tiny, without shared memory, as
/// between hosts.
class TestMpiPieces : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
        MPI_Comm_size(MPI_COMM_WORLD, &m_ranks);
    }

    // Each function runs once with each of these.
    void initTestCase_data()
    {
        QTest::addColumn<int>("callBytes");
        for (const int bytes : {1, 7, 64, 1 << 20})
            QTest::addRow("%d bytes a call", bytes) << bytes;
    }

    void gathers()
    {
        const auto transport = withLimit();
        const auto text = [](int rank) { return std::string(std::size_t(rank * 50), char('a' + rank)); };
        const auto all = transport->gather(text(m_rank));
        QCOMPARE(int(all.size()), m_rank == 0 ? m_ranks : 0);
        for (int rank = 0; rank < int(all.size()); ++rank)
            QCOMPARE(all[std::size_t(rank)], text(rank));
        QCOMPARE(transport->gather(std::string(m_rank == 0 ? 100 : 0, 'x')).size(), all.size());
    }

    void gathersForAll()
    {
        const auto transport = withLimit();
        for (const int part : {0, 1, 100, 1001}) {
            std::vector<int> all(std::size_t(part * m_ranks), -1);
            for (int n = 0; n < part; ++n)
                all[std::size_t(m_rank * part + n)] = m_rank * part + n;
            transport->allGather(std::as_writable_bytes(std::span(all)));
            std::vector<int> wanted(all.size());
            std::iota(wanted.begin(), wanted.end(), 0);
            QCOMPARE(all, wanted);
        }
    }

    void sumsAndScatters()
    {
        const auto transport = withLimit();
        QVERIFY(sumsAndScattersWith<float>(*transport));
        QVERIFY(sumsAndScattersWith<double>(*transport));
    }

    void sendsMessages()
    {
        const auto transport = withLimit();
        const Rank next{(m_rank + 1) % m_ranks};
        const Rank last{(m_rank + m_ranks - 1) % m_ranks};
        // One behind the other: no piece may be taken for one of another message.
        for (const int count : {0, 1, 33, 200}) {
            const std::vector<int> message = numbers(count, m_rank);
            transport->send(std::as_bytes(std::span(message)), next);
        }
        for (const int count : {0, 1, 33}) {
            std::vector<int> message(std::size_t(count), -1);
            transport->receive(std::as_writable_bytes(std::span(message)), last);
            QCOMPARE(message, numbers(count, last.value));
        }
        std::vector<int> message(200, -1);
        while (!transport->tryReceive(std::as_writable_bytes(std::span(message)), last)) {
        }
        QCOMPARE(message, numbers(200, last.value));
        QVERIFY(!transport->tryReceive(std::as_writable_bytes(std::span(message)), last));
        transport->barrier();
    }

    void shiftsAndExchanges()
    {
        const auto transport = withLimit();
        const std::vector<int> mine = numbers(77, m_rank);
        std::vector<int> in(77, -1);
        transport->shift(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(in)));
        QCOMPARE(in, numbers(77, (m_rank + m_ranks - 1) % m_ranks));

        const std::vector<int> out = numbers(20 * m_ranks, m_rank * 1000);
        std::vector<int> parts(out.size(), -1);
        const BytesByRank sizes(std::size_t(m_ranks), 20 * sizeof(int));
        transport->allToAll(std::as_bytes(std::span(out)), sizes, std::as_writable_bytes(std::span(parts)),
                            sizes);
        for (int from = 0; from < m_ranks; ++from)
            QCOMPARE(parts[std::size_t(from * 20)], from * 1000 + m_rank * 20);
    }

    void cleanupTestCase() { MPI_Finalize(); }

private:
    std::unique_ptr<MpiTransport> withLimit() const
    {
        QFETCH_GLOBAL(int, callBytes);
        return std::make_unique<MpiTransport>(MPI_COMM_WORLD, std::make_shared<MpiOutbox>(), nullptr,
                                              MpiLimits{std::size_t(callBytes), false});
    }

    static std::vector<int> numbers(int count, int first)
    {
        std::vector<int> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), first);
        return all;
    }

    /// Small whole numbers: their sums are exact in any order.
    template <typename Float>
    bool sumsAndScattersWith(MpiTransport& transport) const
    {
        for (const int count : {0, 1, 100, 1001}) {
            std::vector<Float> values(std::size_t(count * m_ranks));
            for (std::size_t n = 0; n < values.size(); ++n)
                values[n] = Float(n % 97) + Float(m_rank);
            transport.reduceScatter(std::span(values));
            for (int n = count * m_rank; n < count * (m_rank + 1); ++n) {
                if (values[std::size_t(n)] != Float(n % 97 * m_ranks + m_ranks * (m_ranks - 1) / 2))
                    return false;
            }
        }
        return true;
    }

    int m_rank = 0;
    int m_ranks = 0;
};

QTEST_APPLESS_MAIN(TestMpiPieces)
#include "tst_mpi_pieces.moc"
