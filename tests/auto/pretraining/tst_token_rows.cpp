#include <QTest>

#include <algorithm>
#include <map>
#include <set>

#include "datasets/pretraining/token_rows.h"
#include "tests/auto/pretraining/counting_documents.h"

using namespace trainyard;

namespace {

constexpr std::int32_t kSeparator = 3;
constexpr int kLength = 16;

using Row = std::vector<std::int32_t>;

/// Documents of 1 to 40 tokens, some longer than a row; more than the search strides over at once.
CountingDocuments manyDocuments(std::uint64_t textBytes = 0)
{
    std::vector<std::vector<int>> lengths;
    for (int i = 0; i < 300; ++i)
        lengths.push_back({1 + i * 7 % 40});
    return CountingDocuments(lengths, textBytes);
}

InstanceSettings settings(std::uint64_t seed = 1)
{
    InstanceSettings out;
    out.seed = seed;
    out.sequenceLength = kLength;
    out.objective = Objective::Tokens;
    return out;
}

std::vector<Row> read(const TokenRows& rows, std::uint64_t first, std::uint64_t count)
{
    std::vector<Row> out;
    const Status status =
        rows.visit(first, count, [&](std::span<const std::int32_t> tokens, std::uint64_t) -> Status {
            out.emplace_back(tokens.begin(), tokens.end());
            return {};
        });
    return status.ok() ? out : std::vector<Row>();
}

Row joined(const std::vector<Row>& rows)
{
    Row stream;
    for (const Row& row : rows)
        stream.insert(stream.end(), row.begin(), row.end());
    return stream;
}

} // namespace

class TestTokenRows : public QObject {
    Q_OBJECT

private slots:
    void holdEveryDocumentOncePerPass()
    {
        const auto documents = manyDocuments();
        const auto all = documents.all();
        constexpr std::uint32_t passes = 3;
        const TokenRows rows(settings(), documents, all, passes, kSeparator);
        const Row stream = joined(read(rows, 0, rows.rows()));
        // Cut the stream at its separators: whole documents, of which only the last may be torn.
        std::map<std::int32_t, int> seen; // by the first token
        std::size_t tokens = 0;
        for (auto begin = stream.begin(); begin != stream.end();) {
            const auto end = std::find(begin, stream.end(), kSeparator);
            const auto document =
                documents.document(static_cast<std::uint32_t>(documents.documentOf(*begin)));
            if (end == stream.end())
                break;
            QCOMPARE(static_cast<std::size_t>(end - begin), document.tokens.size());
            for (std::size_t i = 0; i < document.tokens.size(); ++i)
                QCOMPARE(begin[static_cast<std::ptrdiff_t>(i)], document.tokens[i]);
            ++seen[*begin];
            tokens += document.tokens.size() + 1;
            begin = end + 1;
        }
        std::uint64_t expected = 0;
        for (const std::uint32_t ordinal : all)
            expected += documents.length(ordinal) + 1;
        QCOMPARE(rows.rows() * kLength + rows.droppedTokens(), expected * passes);
        QVERIFY(rows.droppedTokens() < kLength);
        QVERIFY(tokens + 2 * kLength + 40 > expected * passes);
        QVERIFY(seen.size() == all.size());
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](const auto& s) { return s.second <= 3; }));
    }

    void giveAnyRangeTheSameRows()
    {
        const auto documents = manyDocuments();
        const auto all = documents.all();
        const TokenRows rows(settings(), documents, all, 2, kSeparator);
        const auto whole = read(rows, 0, rows.rows());
        QCOMPARE(whole.size(), rows.rows());
        for (std::uint64_t first = 0; first < rows.rows(); first += 13) {
            const std::uint64_t count = std::min<std::uint64_t>(5, rows.rows() - first);
            const auto part = read(rows, first, count);
            QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)));
            QCOMPARE(part.size(), count);
        }
        QVERIFY(read(rows, rows.rows(), 0).empty());
    }

    void takeAnotherOrderInEveryPassAndWithEverySeed()
    {
        const auto documents = manyDocuments();
        const auto all = documents.all();
        std::set<Row> firstRows;
        for (const std::uint64_t seed : {1, 2, 3})
            firstRows.insert(read(TokenRows(settings(seed), documents, all, 1, kSeparator), 0, 1)[0]);
        QCOMPARE(firstRows.size(), std::size_t(3));
        const Row stream = joined(read(TokenRows(settings(), documents, all, 2, kSeparator), 0, 200));
        Row once = stream;
        std::sort(once.begin(), once.end());
        QVERIFY(!std::equal(stream.begin(), stream.end(), once.begin())); // not the order of the dump
    }

    void haveTheBytesOfTheirText()
    {
        const CountingDocuments documents({{kLength - 1}, {kLength, kLength - 1}}, 1001);
        const auto all = documents.all();
        const TokenRows rows(settings(), documents, all, 1, kSeparator);
        QCOMPARE(rows.rows(), std::uint64_t(3));
        QCOMPARE(rows.droppedTokens(), std::uint64_t(0));
        const auto bytesOf = [&](std::uint64_t first, std::uint64_t count) {
            std::uint64_t bytes = 0;
            const Status status = rows.visit(
                first, count, [&](std::span<const std::int32_t>, std::uint64_t textBytes) -> Status {
                    bytes += textBytes;
                    return {};
                });
            return status.ok() ? bytes : 0;
        };
        QCOMPARE(bytesOf(0, 3), std::uint64_t(2002)); // no byte is lost at a border
        QCOMPARE(bytesOf(0, 1) + bytesOf(1, 1) + bytesOf(2, 1), std::uint64_t(2002));
        QVERIFY(bytesOf(1, 1) >= 490 && bytesOf(1, 1) <= 520); // half of the long document, or of both
    }

    void stopAtTheFirstFailure()
    {
        const auto documents = manyDocuments();
        const auto all = documents.all();
        const TokenRows rows(settings(), documents, all, 1, kSeparator);
        int visits = 0;
        const Status status = rows.visit(0, 5, [&](std::span<const std::int32_t>, std::uint64_t) -> Status {
            return ++visits == 2 ? Status(failed("full")) : Status();
        });
        QVERIFY(!status.ok());
        QCOMPARE(visits, 2);
    }

    void haveNoneOfTooLittleText()
    {
        const CountingDocuments documents(std::vector<std::vector<int>>{{3}, {4}});
        const auto all = documents.all();
        const TokenRows rows(settings(), documents, all, 1, kSeparator);
        QCOMPARE(rows.rows(), std::uint64_t(0));
        QCOMPARE(rows.droppedTokens(), std::uint64_t(9));
    }
};

QTEST_APPLESS_MAIN(TestTokenRows)
#include "tst_token_rows.moc"
