#include <QTest>

#include <array>
#include <cmath>

#include "datasets/metrics/entity_scores.h"

using namespace trainyard;

namespace {

struct Sentence {
    const char* name;
    const char* expected;  ///< tags
    const char* predicted; ///< tags
    const char* entities;  ///< of the expected ones
    double precision;
    double recall;
    double f1;
};

// Made with seqeval 1.2.2: get_entities(), precision_score(), recall_score() and f1_score() of one sentence.
// clang-format off
const std::array kSentences = std::to_array<Sentence>({
    {"IOB2",
     "B-PER I-PER O B-LOC",
     "B-PER I-PER O B-LOC",
     "PER:0-1 LOC:3-3",
     1.0, 1.0, 1.0},
    {"wrong end",
     "B-PER I-PER I-PER O",
     "B-PER I-PER O O",
     "PER:0-2",
     0.0, 0.0, 0.0},
    {"wrong type",
     "B-PER I-PER O B-LOC",
     "B-ORG I-ORG O B-LOC",
     "PER:0-1 LOC:3-3",
     0.5, 0.5, 0.5},
    {"begins with I",
     "I-PER I-PER O I-LOC",
     "B-PER I-PER O B-LOC",
     "PER:0-1 LOC:3-3",
     1.0, 1.0, 1.0},
    {"type changes inside",
     "B-PER I-LOC I-LOC O",
     "B-PER B-LOC I-LOC O",
     "PER:0-0 LOC:1-2",
     1.0, 1.0, 1.0},
    {"IOBES",
     "S-PER O B-LOC I-LOC E-LOC",
     "S-PER O B-LOC E-LOC S-LOC",
     "PER:0-0 LOC:2-4",
     0.3333333333333333, 0.5, 0.4},
    {"none",
     "O O O",
     "O O O",
     "",
     0.0, 0.0, 0.0},
    {"only predicted",
     "O O O",
     "B-X I-X O",
     "",
     0.0, 0.0, 0.0},
    {"without types",
     "B I O B",
     "B I O I",
     "_:0-1 _:3-3",
     1.0, 1.0, 1.0},
    {"hyphen in the type",
     "B-A-B I-A-B O",
     "B-A-B I-A-B O",
     "A-B:0-1",
     1.0, 1.0, 1.0},
    {"neighbours",
     "B-PER B-PER I-PER",
     "B-PER I-PER B-PER",
     "PER:0-0 PER:1-2",
     0.0, 0.0, 0.0},
    {"stray end",
     "O E-PER O I-PER E-PER E-PER",
     "O S-PER O B-PER E-PER S-PER",
     "PER:1-1 PER:3-4 PER:5-5",
     1.0, 1.0, 1.0},
    {"example of seqeval",
     "O O O B-MISC I-MISC I-MISC O B-PER I-PER O",
     "O O B-MISC I-MISC I-MISC I-MISC O B-PER I-PER O",
     "MISC:3-5 PER:7-8",
     0.5, 0.5, 0.5},
    {"random 1",
     "I-A I-B I-B S-B B-B E-B I-A I-A I-B E-B E-A I-A B-A B-B O I-B B-A B-B S-B I-A B-B I-B I-B "
     "I-B E-A",
     "I-A I-B I-B S-B I-A E-B I-A E-B I-B E-B S-A I-A B-A B-B O I-B B-A B-B S-B O B-B I-B I-B I-B "
     "E-A",
     "A:0-0 B:1-2 B:3-3 B:4-5 A:6-7 B:8-9 A:10-10 A:11-11 A:12-12 B:13-13 B:15-15 A:16-16 B:17-17 "
     "B:18-18 A:19-19 B:20-23 A:24-24",
     0.7777777777777778, 0.8235294117647058, 0.7999999999999999},
    {"random 2",
     "E-B S-A I-A S-A S-A E-B E-B S-B B-A O I-A S-A S-A S-B B-B S-A S-B O E-B B-B B-B I-A O O S-A",
     "E-B S-A I-A S-A S-A E-B E-B I-B B-A O I-A E-B B-A S-B B-B S-A S-B O E-B B-B B-B I-A B-B O "
     "S-A",
     "B:0-0 A:1-1 A:2-2 A:3-3 A:4-4 B:5-5 B:6-6 B:7-7 A:8-8 A:10-10 A:11-11 A:12-12 B:13-13 "
     "B:14-14 A:15-15 B:16-16 B:18-18 B:19-19 B:20-20 A:21-21 A:24-24",
     0.9090909090909091, 0.9523809523809523, 0.9302325581395349},
    {"random 3",
     "S-B O B-A E-A S-A B-A B-A O B-B I-B B-A I-B E-B O B-A B-A E-A B-A I-A S-A E-B I-A I-A I-A "
     "I-B",
     "B-A O B-A E-A S-A B-A B-A O B-B I-A B-A I-B E-B O B-A B-A I-A B-A I-A S-A E-B S-B I-A I-A "
     "I-B",
     "B:0-0 A:2-3 A:4-4 A:5-5 A:6-6 B:8-9 A:10-10 B:11-12 A:14-14 A:15-16 A:17-18 A:19-19 B:20-20 "
     "A:21-23 B:24-24",
     0.7058823529411765, 0.8, 0.7500000000000001},
    {"random 4",
     "E-A S-A S-A S-B I-A E-A B-B E-B I-B I-A I-A O B-B B-A O B-A B-A S-B E-B E-A I-B E-B E-B B-B "
     "B-A",
     "E-A S-A S-A S-B I-A E-A B-B E-B E-B I-A I-A O S-A B-A O B-A B-A S-B S-A I-B B-B E-B E-B B-B "
     "B-A",
     "A:0-0 A:1-1 A:2-2 B:3-3 A:4-5 B:6-7 B:8-8 A:9-10 B:12-12 A:13-13 A:15-15 A:16-16 B:17-17 "
     "B:18-18 A:19-19 B:20-21 B:22-22 B:23-23 A:24-24",
     0.8421052631578947, 0.8421052631578947, 0.8421052631578947},
    {"random 5",
     "I-B B-A B-A O O I-A E-A E-A O E-B E-B B-B O I-B E-B S-A I-B B-B E-B E-B B-A E-A I-A I-A B-A",
     "I-B B-A I-A O O S-A E-A E-A B-B B-B E-B B-B O I-B I-A S-A I-B B-B E-B E-B B-A E-A I-A I-A "
     "B-A",
     "B:0-0 A:1-1 A:2-2 A:5-6 A:7-7 B:9-9 B:10-10 B:11-11 B:13-14 A:15-15 B:16-16 B:17-18 B:19-19 "
     "A:20-21 A:22-23 A:24-24",
     0.5882352941176471, 0.625, 0.6060606060606061},
    {"random 6",
     "I-B B-B S-A I-A E-B B-B S-A B-A E-B I-A E-A I-A E-A O I-B S-A O E-B O E-B I-B I-A O O S-B",
     "S-B B-B B-A I-A B-A O S-A B-A E-B I-A E-A E-B E-A O I-B I-A O E-B O E-B B-A I-A I-A O E-A",
     "B:0-0 B:1-1 A:2-2 A:3-3 B:4-4 B:5-5 A:6-6 A:7-7 B:8-8 A:9-10 A:11-12 B:14-14 A:15-15 "
     "B:17-17 B:19-19 B:20-20 A:21-21 B:24-24",
     0.625, 0.5555555555555556, 0.5882352941176471},
});
// clang-format on

std::vector<std::string> tagsIn(const char* text)
{
    std::vector<std::string> tags;
    for (const QString& tag : QString(text).split(' '))
        tags.push_back(tag.toStdString());
    return tags;
}

QString print(const std::vector<Entity>& entities)
{
    QStringList texts;
    for (const Entity& entity : entities)
        texts << QString("%1:%2-%3").arg(entity.type.c_str()).arg(entity.first).arg(entity.last);
    return texts.join(' ');
}

bool isSameScore(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

} // namespace

class TestEntityScores : public QObject {
    Q_OBJECT

private slots:
    void scoresAsSeqevalDoes_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kSentences.size(); ++i)
            QTest::addRow("%s", kSentences[i].name) << int(i);
    }
    void scoresAsSeqevalDoes()
    {
        QFETCH(int, index);
        const Sentence& sentence = kSentences[std::size_t(index)];
        QCOMPARE(print(entitiesOf(tagsIn(sentence.expected))), QString(sentence.entities));
        EntityScores scores;
        scores.add(tagsIn(sentence.expected), tagsIn(sentence.predicted));
        QVERIFY(isSameScore(scores.precision(), sentence.precision));
        QVERIFY(isSameScore(scores.recall(), sentence.recall));
        QVERIFY(isSameScore(scores.f1(), sentence.f1));
    }

    void countsOfBatchesAddUp()
    {
        EntityScores whole;
        EntityScores first;
        EntityScores second;
        for (std::size_t i = 0; i < kSentences.size(); ++i) {
            const auto expected = tagsIn(kSentences[i].expected);
            const auto predicted = tagsIn(kSentences[i].predicted);
            whole.add(expected, predicted);
            (i % 2 ? first : second).add(expected, predicted);
        }
        first.add(second);
        QCOMPARE(first.f1(), whole.f1());
        QCOMPARE(first.expectedCount(), whole.expectedCount());
        QVERIFY(whole.f1() > 0.5 && whole.f1() < 1);
    }

    void isZeroWithoutEntities() { QCOMPARE(EntityScores().f1(), 0.0); }
};

QTEST_APPLESS_MAIN(TestEntityScores)
#include "tst_entity_scores.moc"
