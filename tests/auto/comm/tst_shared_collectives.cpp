#include <bit>
#include <cmath>
#include <random>
#include <thread>

#include <QTest>

#include "engine/comm/narrow_floats.h"
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

/// Ranks as threads around segments of ordinary memory.
template <typename Body>
void runRanks(int ranks, Body body)
{
    std::vector<AlignedMemory> memory(static_cast<std::size_t>(ranks),
                                      AlignedMemory(SharedCollectives::segmentBytes(ranks)));
    std::vector<std::byte*> segments;
    for (AlignedMemory& segment : memory)
        segments.push_back(segment.start());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            SharedCollectives collectives(segments, Rank{rank}, {std::chrono::microseconds(rank), [] {
                                                                     return std::chrono::milliseconds(1);
                                                                 }});
            body(collectives, rank);
        });
    for (std::thread& thread : threads)
        thread.join();
}

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
FloatSpan spanOf(std::vector<Number>& values)
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

template <typename Number>
bool sameBits(const std::vector<Number>& a, const std::vector<Number>& b)
{
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0);
}

template <typename Number>
std::string allReduceProblem(int ranks, std::size_t count, ReduceOp op)
{
    const std::vector<Number> wanted = expected<Number>(ranks, count, op);
    std::vector<std::vector<Number>> got(static_cast<std::size_t>(ranks));
    runRanks(ranks, [&](SharedCollectives& collectives, int rank) {
        auto& values = got[static_cast<std::size_t>(rank)] = valuesOf<Number>(rank, count);
        collectives.allReduce(spanOf(values), op);
    });
    for (std::size_t rank = 0; rank < got.size(); ++rank) {
        if (!sameBits(got[rank], wanted))
            return "rank " + std::to_string(rank) + " has other bits";
    }
    return {};
}

std::string allReduceProblem(FloatType type, int ranks, std::size_t count, ReduceOp op)
{
    switch (type) {
    case FloatType::Float32:
        return allReduceProblem<float>(ranks, count, op);
    case FloatType::Float64:
        return allReduceProblem<double>(ranks, count, op);
    case FloatType::BFloat16:
        return allReduceProblem<BFloat16>(ranks, count, op);
    case FloatType::Float16:
        return allReduceProblem<Float16>(ranks, count, op);
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
        for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Max})
            QCOMPARE(allReduceProblem(FloatType(type), ranks, std::size_t(count), op), std::string());
    }

    // Streaming stores take over above 24 MiB.
    void addsWhatLeavesTheCaches()
    {
        QCOMPARE(allReduceProblem(FloatType::Float32, 2, (std::size_t{25} << 20) / 4 + 5, ReduceOp::Sum),
                 std::string());
    }

    // Ranks that come late, and calls of all kinds after each other: no place may be overwritten too early.
    void keepsApartWhatFollowsEachOther()
    {
        constexpr int ranks = 3;
        constexpr int rounds = 60;
        std::vector<std::string> problems(ranks);
        runRanks(ranks, [&](SharedCollectives& collectives, int rank) {
            std::mt19937 random(static_cast<unsigned>(rank));
            for (int round = 0; round < rounds; ++round) {
                const std::size_t part = 1 + std::size_t(round) * 1709;
                std::vector<double> sums(ranks * part);
                for (std::size_t i = 0; i < sums.size(); ++i)
                    sums[i] = double((rank + 1) * round) + double(i);
                std::vector<double> gathered(ranks * part, -1);
                std::fill_n(gathered.begin() + rank * std::ptrdiff_t(part), part, 100.0 * round + rank);
                std::vector<double> scattered = sums;
                const auto pause = [&] {
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
                };
                pause();
                if (round % 3 != 0)
                    collectives.allGather(std::as_writable_bytes(std::span(gathered)));
                pause();
                collectives.allReduce(std::span(sums), ReduceOp::Sum);
                pause();
                if (round % 2 != 0)
                    collectives.reduceScatter(std::span(scattered));
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    const double sum = 6.0 * round + 3.0 * double(i);
                    const bool isMine = i / part == std::size_t(rank);
                    if (sums[i] != sum || (round % 2 != 0 && isMine && scattered[i] != sum) ||
                        (round % 3 != 0 && gathered[i] != 100.0 * round + double(i / part)))
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
