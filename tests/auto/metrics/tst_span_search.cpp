#include <QTest>

#include <cmath>
#include <vector>

#include "datasets/metrics/span_search.h"

using namespace trainyard;

namespace {

/// "[CLS] who [SEP] the old town [SEP]"; the context is "the old town".
struct Row {
    std::vector<double> starts;
    std::vector<double> ends;
    std::vector<std::int32_t> begins{-1, -1, -1, 0, 4, 8, -1};
    std::vector<std::int32_t> behinds{-1, -1, -1, 3, 7, 12, -1};

    ScoredRow scored() const { return {starts, ends, begins, behinds}; }
};

const Row kRow{{1, 9, 0, 2, 5, 1, 0}, {1, 9, 0, 1, 4, 3, 0}};

std::vector<FoundSpan> found(const std::vector<Row>& rows, const SpanSearch& search = {})
{
    std::vector<ScoredRow> scored;
    for (const Row& row : rows)
        scored.push_back(row.scored());
    return bestSpans(scored, search);
}

} // namespace

class TestSpanSearch : public QObject {
    Q_OBJECT

private slots:
    // By hand: starts and ends of the question have the highest logits, and are none of the context's.
    void theBestSpanIsOfTheContext()
    {
        const auto spans = found({kRow});
        QCOMPARE(spans.size(), std::size_t(6)); // 3 + 2 + 1
        QCOMPARE(spans[0].begin, std::size_t(4));
        QCOMPARE(spans[0].end, std::size_t(7));
        QCOMPARE(spans[0].score, 9.0);
        QCOMPARE(spans[1].end, std::size_t(12)); // "old town"
        QCOMPARE(spans[1].score, 8.0);
        double sum = 0;
        for (const FoundSpan& span : spans) {
            QVERIFY(span.isAnswer && span.begin < span.end);
            sum += span.probability;
        }
        QVERIFY(std::abs(sum - 1) < 1e-12);
        QVERIFY(std::abs(spans[1].probability / spans[0].probability - std::exp(-1)) < 1e-12);
    }

    void noSpanIsLongerThanAllowed()
    {
        SpanSearch search;
        search.maxTokens = 1;
        const auto spans = found({kRow}, search);
        QCOMPARE(spans.size(), std::size_t(3));
        for (const FoundSpan& span : spans)
            QVERIFY(span.end - span.begin <= 4);
    }

    void onlyTheBestStartsAndEndsAreTried()
    {
        SpanSearch search;
        search.best = 2; // of starts [CLS's neighbour] and "old"; of ends likewise
        const auto spans = found({kRow}, search);
        QCOMPARE(spans.size(), std::size_t(1));
        QCOMPARE(spans[0].begin, std::size_t(4));
    }

    void theContextMayLackTheAnswer()
    {
        SpanSearch search;
        search.allowsNoAnswer = true;
        Row unsure = kRow;
        unsure.starts[0] = 6;
        unsure.ends[0] = 6;
        const auto lacking = found({unsure}, search);
        QVERIFY(!lacking[0].isAnswer);
        QCOMPARE(lacking[0].score, 12.0);
        QVERIFY(lacking[1].isAnswer);
        QVERIFY(found({unsure})[0].isAnswer); // unless it is allowed
        // A row that has the answer counts, whatever the other rows lack.
        const auto rows = found({unsure, kRow}, search);
        QVERIFY(rows[0].isAnswer);
        QCOMPARE(rows.size(), std::size_t(7)); // spans of both rows once
    }

    void thatThereIsNoAnswerIsNeverCutOff()
    {
        SpanSearch search;
        search.allowsNoAnswer = true;
        search.best = 7;
        Row sure = kRow;
        sure.starts[0] = sure.ends[0] = -20;
        auto spans = found({sure}, search);
        QCOMPARE(spans.size(), std::size_t(7));
        QVERIFY(!spans.back().isAnswer);
        search.best = 5;
        spans = found({sure}, search);
        QVERIFY(!spans.back().isAnswer);
        QVERIFY(spans.size() <= 5);
    }

    void rowsWithoutContextHaveNoSpan()
    {
        Row empty = kRow;
        empty.begins.assign(7, -1);
        QVERIFY(found({empty}).empty());
        QVERIFY(found({}).empty());
    }
};

QTEST_APPLESS_MAIN(TestSpanSearch)
#include "tst_span_search.moc"
