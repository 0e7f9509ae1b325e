#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include <QTest>

#include "engine/base/shared_arena.h"
#include "engine/comm/low_precision_floats.h"
#include "engine/comm/shared_collectives.h"

using namespace trainyard;

namespace {

struct AlignedMemory {
    explicit AlignedMemory(std::size_t bytes) : lines(bytes / 64 + 1) {}
    struct alignas(64) Line {
        std::byte bytes[64]{};
    };
    std::byte* start() { return lines.front().bytes; }
    std::vector<Line> lines;
};

/// What the threads that stand for ranks share.
struct Host {
    explicit Host(int ranks)
        : memory(static_cast<std::size_t>(ranks), AlignedMemory(SharedCollectives::segmentBytes(ranks)))
    {
        for (AlignedMemory& segment : memory) {
            segments.push_back(segment.start());
            arenas.push_back(SharedArena::create(std::size_t{4} << 30));
            starts.push_back(static_cast<std::byte*>(arenas.back()->allocate(0)));
        }
    }

    std::vector<AlignedMemory> memory;
    std::vector<std::byte*> segments;
    std::vector<std::unique_ptr<SharedArena>> arenas;
    std::vector<std::byte*> starts; ///< of the arenas
};

template <typename Body>
void runRanks(Host& host, Body body)
{
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < host.segments.size(); ++rank)
        threads.emplace_back([&, rank] {
            const Patience patience{std::chrono::microseconds(rank),
                                    [] { return std::chrono::milliseconds(1); }};
            SharedCollectives collectives(host.segments, Rank{int(rank)}, patience,
                                          {host.arenas[rank].get(), host.starts});
            body(collectives, int(rank));
        });
    for (std::thread& thread : threads)
        thread.join();
}

/// Memory of a rank, in its arena or elsewhere.
template <typename Number>
class Numbers {
public:
    Numbers(SharedArena* arena, const std::vector<Number>& values)
        : m_arena(arena), m_own(values), m_count(values.size())
    {
        if (!arena)
            return;
        m_start = static_cast<Number*>(arena->allocate(m_count * sizeof(Number)));
        std::ranges::copy(values, m_start);
    }
    ~Numbers()
    {
        if (m_start)
            m_arena->release(m_start, m_count * sizeof(Number));
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;

    std::span<Number> span() { return {m_start ? m_start : m_own.data(), m_count}; }

private:
    SharedArena* m_arena;
    std::vector<Number> m_own;
    std::size_t m_count;
    Number* m_start = nullptr;
};

/// Numbers whose sum depends on the order of adding, as they come from `rank`.
template <typename Number>
std::vector<Number> valuesOf(int rank, std::size_t count)
{
    std::mt19937 random(static_cast<unsigned>(1000 * rank + 7));
    std::normal_distribution<float> normal(0, 100);
    std::vector<Number> values(count);
    for (Number& value : values) {
        if constexpr (std::is_floating_point_v<Number>)
            value = static_cast<Number>(normal(random));
        else
            value = Number::narrow(normal(random));
    }
    return values;
}

double wideOf(float value)
{
    return value;
}
double wideOf(double value)
{
    return value;
}
double wideOf(BFloat16 value)
{
    return value.wide();
}
double wideOf(Float16 value)
{
    return value.wide();
}

template <typename Number>
constexpr FloatType kTypeOf = std::is_same_v<Number, float>      ? FloatType::Float32
                              : std::is_same_v<Number, double>   ? FloatType::Float64
                              : std::is_same_v<Number, BFloat16> ? FloatType::BFloat16
                                                                 : FloatType::Float16;

template <typename Number>
FloatSpan floatsOf(std::span<Number> values)
{
    return {values.data(), values.size(), kTypeOf<Number>};
}

/// One number after another, in order of rank; in float32 where the type is narrower.
template <typename Number>
std::vector<Number> expected(int ranks, std::size_t count, ReduceOp op)
{
    using Wide = std::conditional_t<std::is_same_v<Number, double>, double, float>;
    std::vector<std::vector<Number>> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(valuesOf<Number>(rank, count));
    std::vector<Number> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto sum = static_cast<Wide>(wideOf(all[0][i]));
        for (std::size_t r = 1; r < all.size(); ++r) {
            const auto value = static_cast<Wide>(wideOf(all[r][i]));
            sum = op == ReduceOp::Max ? std::max(sum, value) : sum + value;
        }
        if constexpr (std::is_floating_point_v<Number>)
            result[i] = sum;
        else
            result[i] = Number::narrow(sum);
    }
    return result;
}

/// Where the ranks have their values.
enum class Place { Arenas, Elsewhere, Mixed };

template <typename Number>
std::string allReduceProblem(int ranks, std::size_t count, ReduceOp op, Place place)
{
    const std::vector<Number> wanted = expected<Number>(ranks, count, op);
    std::vector<std::string> problems(static_cast<std::size_t>(ranks));
    Host host(ranks);
    runRanks(host, [&](SharedCollectives& collectives, int rank) {
        const bool isInArena = place == Place::Arenas || (place == Place::Mixed && rank == 1);
        Numbers<Number> numbers(isInArena ? host.arenas[std::size_t(rank)].get() : nullptr,
                                valuesOf<Number>(rank, count));
        collectives.allReduce(floatsOf(numbers.span()), op);
        if (count > 0 && std::memcmp(numbers.span().data(), wanted.data(), count * sizeof(Number)) != 0)
            problems[std::size_t(rank)] = "rank " + std::to_string(rank) + " has other bits";
    });
    return std::accumulate(problems.begin(), problems.end(), std::string());
}

std::string allReduceProblem(FloatType type, int ranks, std::size_t count, ReduceOp op, Place place)
{
    switch (type) {
    case FloatType::Float32:
        return allReduceProblem<float>(ranks, count, op, place);
    case FloatType::Float64:
        return allReduceProblem<double>(ranks, count, op, place);
    case FloatType::BFloat16:
        return allReduceProblem<BFloat16>(ranks, count, op, place);
    case FloatType::Float16:
        return allReduceProblem<Float16>(ranks, count, op, place);
    }
    return "unknown type";
}

} // namespace

class TestSharedCollectives : public QObject {
    Q_OBJECT

private slots:
    void addsInOrderOfRank_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("count");
        const std::pair<FloatType, const char*> types[] = {{FloatType::Float32, "float32"},
                                                           {FloatType::Float64, "float64"},
                                                           {FloatType::BFloat16, "bfloat16"},
                                                           {FloatType::Float16, "float16"}};
        // Nothing, less than a rank's part, odd, one piece and a number, many pieces.
        for (const auto& [type, name] : types) {
            for (const int ranks : {2, 3, 4}) {
                for (const int count : {0, 1, 7, 1000, 16385, 65537, 300001})
                    QTest::addRow("%d %s on %d ranks", count, name, ranks) << int(type) << ranks << count;
            }
        }
    }
    void addsInOrderOfRank()
    {
        QFETCH(int, type);
        QFETCH(int, ranks);
        QFETCH(int, count);
        for (const Place place : {Place::Arenas, Place::Elsewhere, Place::Mixed}) {
            for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Max})
                QCOMPARE(allReduceProblem(FloatType(type), ranks, std::size_t(count), op, place),
                         std::string());
        }
    }

    // Streaming stores take over above 24 MiB.
    void addsWhatLeavesTheCaches()
    {
        for (const Place place : {Place::Arenas, Place::Elsewhere}) {
            for (const int ranks : {2, 3})
                QCOMPARE(allReduceProblem(FloatType::Float32, ranks, (std::size_t{25} << 20) / 4 + 5,
                                          ReduceOp::Sum, place),
                         std::string());
        }
    }

    // Ranks that come late, and calls of all kinds after each other: no place may be overwritten too early.
    void keepsApartWhatFollowsEachOther_data()
    {
        QTest::addColumn<bool>("inArena");
        QTest::newRow("in arenas") << true;
        QTest::newRow("elsewhere") << false;
    }
    void keepsApartWhatFollowsEachOther()
    {
        QFETCH(bool, inArena);
        constexpr int ranks = 3;
        std::vector<std::string> problems(ranks);
        Host host(ranks);
        runRanks(host, [&](SharedCollectives& collectives, int rank) {
            std::mt19937 random(static_cast<unsigned>(rank));
            const auto pause = [&] {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
            };
            SharedArena* const arena = inArena ? host.arenas[std::size_t(rank)].get() : nullptr;
            for (int round = 0; round < 60; ++round) {
                const std::size_t part = 1 + std::size_t(round) * 1709;
                std::vector<double> addends(ranks * part);
                for (std::size_t i = 0; i < addends.size(); ++i)
                    addends[i] = double((rank + 1) * round) + double(i);
                std::vector<double> own(ranks * part, 100.0 * round + rank);
                Numbers<double> sums(arena, addends);
                Numbers<double> scattered(arena, addends);
                Numbers<double> gathered(arena, own);
                pause();
                if (round % 3 != 0)
                    collectives.allGather(std::as_writable_bytes(gathered.span()));
                pause();
                collectives.allReduce(floatsOf(sums.span()), ReduceOp::Sum);
                pause();
                if (round % 2 != 0)
                    collectives.reduceScatter(floatsOf(scattered.span()));
                for (std::size_t i = 0; i < addends.size(); ++i) {
                    const double sum = 6.0 * round + 3.0 * double(i);
                    const bool isMine = i / part == std::size_t(rank);
                    if (sums.span()[i] != sum || (round % 2 != 0 && isMine && scattered.span()[i] != sum) ||
                        (round % 3 != 0 && gathered.span()[i] != 100.0 * round + double(i / part)))
                        problems[std::size_t(rank)] = "round " + std::to_string(round);
                }
            }
        });
        for (const std::string& problem : problems)
            QCOMPARE(problem, std::string());
    }

    void roundsNarrowNumbersToNearestEven_data()
    {
        QTest::addColumn<float>("value");
        QTest::addColumn<int>("bits");
        QTest::newRow("exact") << 1.5f << 0x3fc0;
        QTest::newRow("tie goes down to even") << 1.00390625f << 0x3f80;
        QTest::newRow("tie goes up to even") << 1.01171875f << 0x3f82;
        QTest::newRow("infinite") << INFINITY << 0x7f80;
        QTest::newRow("overflow") << 3.4e38f << 0x7f80;
        QTest::newRow("not a number") << std::bit_cast<float>(0x7f800001u) << 0x7fc0;
    }
    void roundsNarrowNumbersToNearestEven()
    {
        QFETCH(float, value);
        QFETCH(int, bits);
        QCOMPARE(int(BFloat16::narrow(value).bits), bits);
    }
};

QTEST_APPLESS_MAIN(TestSharedCollectives)
#include "tst_shared_collectives.moc"
