#include <cstring>
#include <random>

#include <QTest>
#include <mpi.h>

#include "engine/comm/mpi_outbox.h"
#include "engine/comm/mpi_transport.h"
#include "engine/comm/shared_segments.h"

using namespace trainyard;

/// Runs under mpirun, all ranks on one host; MPI's own collectives are the reference.
class TestSharedSegments : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
        MPI_Comm_size(MPI_COMM_WORLD, &m_ranks);
        m_transport = std::make_unique<MpiTransport>(MPI_COMM_WORLD, std::make_shared<MpiOutbox>());
    }

    void letEveryRankWriteIntoEveryOther()
    {
        const auto segments = SharedSegments::create(MPI_COMM_WORLD, 10000);
        QVERIFY(segments);
        QCOMPARE(int(segments->starts().size()), m_ranks);
        for (std::byte* start : segments->starts())
            start[100 + m_rank] = std::byte(m_rank + 1);
        MPI_Barrier(MPI_COMM_WORLD);
        for (const std::byte* start : segments->starts()) {
            for (int rank = 0; rank < m_ranks; ++rank)
                QCOMPARE(int(start[100 + rank]), rank + 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    void reducesAsMpiDoes_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {0, 1, 3, 4097, 100003, 2000000})
            QTest::addRow("%d numbers", count) << count;
    }
    void reducesAsMpiDoes()
    {
        QFETCH(int, count);
        const std::vector<double> mine =
            wholeNumbers(std::size_t(count)); // their sums are exact in any order
        std::vector<double> wanted = mine;
        MPI_Allreduce(MPI_IN_PLACE, wanted.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        std::vector<double> sums = mine;
        m_transport->allReduce(std::span(sums), ReduceOp::Sum);
        QCOMPARE(sums, wanted);
        std::vector<double> maxima = mine;
        m_transport->allReduce(std::span(maxima), ReduceOp::Max);
        wanted = mine;
        MPI_Allreduce(MPI_IN_PLACE, wanted.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        QCOMPARE(maxima, wanted);
    }

    // Two numbers have one sum: here the bits must be MPI's for any values.
    void hasTheBitsOfMpiOnTwoRanks()
    {
        if (m_ranks != 2)
            return;
        std::mt19937 random(static_cast<unsigned>(m_rank));
        std::normal_distribution<float> normal;
        std::vector<float> values(123457);
        for (float& value : values)
            value = normal(random);
        std::vector<float> wanted = values;
        MPI_Allreduce(MPI_IN_PLACE, wanted.data(), int(wanted.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        m_transport->allReduce(std::span(values), ReduceOp::Sum);
        QVERIFY(std::memcmp(values.data(), wanted.data(), values.size() * sizeof(float)) == 0);
    }

    // The message of rank 0 is too large to leave by itself: MPI must be let work while ranks wait here.
    void waitsWithoutHoldingUpMessages()
    {
        if (m_ranks == 1)
            return;
        std::vector<int> message(3 << 20, 42);
        if (m_rank == 0)
            m_transport->send(std::as_bytes(std::span(message)), Rank{1});
        if (m_rank == 1) {
            std::ranges::fill(message, 0);
            m_transport->receive(std::as_writable_bytes(std::span(message)), Rank{0});
            QVERIFY(std::ranges::all_of(message, [](int value) { return value == 42; }));
        }
        std::vector<double> one{1};
        m_transport->allReduce(std::span(one), ReduceOp::Sum);
        QCOMPARE(one.front(), double(m_ranks));
    }

    void cleanupTestCase()
    {
        m_transport.reset();
        MPI_Finalize();
    }

private:
    std::vector<double> wholeNumbers(std::size_t count) const
    {
        std::mt19937 random(static_cast<unsigned>(m_rank + 1));
        std::vector<double> numbers(count);
        for (double& number : numbers)
            number = double(random() % 100000) - 50000;
        return numbers;
    }

    int m_rank = 0;
    int m_ranks = 0;
    std::unique_ptr<MpiTransport> m_transport;
};

QTEST_APPLESS_MAIN(TestSharedSegments)
#include "tst_shared_segments.moc"
