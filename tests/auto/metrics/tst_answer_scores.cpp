#include <QTest>

#include <array>
#include <cmath>

#include "datasets/metrics/answer_scores.h"

using namespace trainyard;

namespace {

struct Normalized {
    const char* answer;
    const char* normalized;
};

// Made with normalize_answer() of transformers 4, which is that of the scripts of SQuAD.
// clang-format off
const std::array kNormalized = std::to_array<Normalized>({
    {"The Eiffel Tower!", "eiffel tower"},
    {"an  apple a day", "apple day"},
    {"A–B", "–b"},
    {"café", "café"},
    {"L'Été À Paris", "lété à paris"},
    {"U.S.A.", "usa"},
    {"the", ""},
    {"a an the", ""},
    {"İstanbul", "i̇stanbul"},
    {"ΟΔΟΣ", "οδος"},
    {"1,000.5", "10005"},
    {"tab\tand\nline", "tab and line"},
    {"“quoted” text", "“quoted” text"},
    {"über_der", "überder"},
    {"x\u00a0y\u3000z", "x y z"},
    {"Theatre an-the", "theatre anthe"},
    {"½ a litre", "½ litre"},
});

struct Compared {
    const char* accepted;
    const char* predicted;
    bool exact;
    double f1;
};

// Made with compute_exact() and compute_f1() of transformers 4, which are those of evaluate-v2.0.py.
const std::array kCompared = std::to_array<Compared>({
    {"Denver Broncos", "Denver Broncos", true, 1.0},
    {"Denver Broncos", "the Broncos", false, 0.6666666666666666},
    {"24–10", "24-10", false, 0.0},
    {"the", "an", true, 1.0},
    {"", "", true, 1.0},
    {"", "x", false, 0.0},
    {"gold", "golden anniversary", false, 0.0},
    {"to be or not to be", "be be be not", false, 0.6},
    {"Santa Clara, California", "Santa Clara California.", true, 1.0},
});
// clang-format on

struct Question {
    std::vector<std::string> accepted;
    const char* predicted;
};

const std::vector<Question> kAnswered{
    {{"Denver Broncos", "Denver Broncos", "The Broncos"}, "Broncos"},
    {{"Santa Clara, California", "Levi's Stadium"}, "Levi's Stadium in Santa Clara"},
    {{"gold"}, "golden anniversary"},
    {{"1,000", "one thousand"}, "1000"}};

AnswerScores scoresOf(AnswerScores::Rules rules, const std::vector<Question>& questions)
{
    AnswerScores scores(rules);
    for (const Question& question : questions)
        scores.add(question.predicted, question.accepted);
    return scores;
}

/// The four questions, and four about what has no answer or is not answered.
std::vector<Question> withUnanswerable()
{
    std::vector<Question> questions = kAnswered;
    questions.push_back({{}, ""});
    questions.push_back({{}, "Paris"});
    questions.push_back({{"Rome"}, ""});
    questions.push_back({{"the", "a"}, ""});
    return questions;
}

bool isNear(double a, double b, double error = 1e-12)
{
    return std::abs(a - b) < error;
}

} // namespace

class TestAnswerScores : public QObject {
    Q_OBJECT

private slots:
    void normalizesAsTheScriptsDo_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("normalized");
        for (const auto& [answer, normalized] : kNormalized)
            QTest::addRow("%s", answer) << QString(answer) << QString(normalized);
    }
    void normalizesAsTheScriptsDo()
    {
        QFETCH(QString, answer);
        QFETCH(QString, normalized);
        QCOMPARE(QString::fromStdString(normalizedAnswer(answer.toStdString())), normalized);
    }

    void comparesAsTheScriptDoes()
    {
        for (const Compared& pair : kCompared) {
            AnswerScores scores(AnswerScores::Rules::Squad2);
            scores.add(pair.predicted, {pair.accepted});
            QCOMPARE(scores.exactMatch(), pair.exact ? 100.0 : 0.0);
            QVERIFY2(isNear(scores.f1(), 100 * pair.f1), pair.predicted);
        }
    }

    // torchmetrics 1.9.0, in float32: SQuAD() gives exact_match 50 and f1 64.2857.
    void scoresTheFirstVersion()
    {
        const AnswerScores scores = scoresOf(AnswerScores::Rules::Squad1, kAnswered);
        QCOMPARE(scores.exactMatch(), 50.0);
        QVERIFY(isNear(scores.f1(), 64.2857, 5e-5));
    }

    // The script of the first version finds no common token in two answers of articles.
    void articlesAloneOverlapInTheSecondVersionOnly()
    {
        AnswerScores first(AnswerScores::Rules::Squad1);
        first.add("the", {"a"});
        QCOMPARE(first.exactMatch(), 100.0);
        QCOMPARE(first.f1(), 0.0);
    }

    // squad_evaluate() of transformers 4, which is that of evaluate-v2.0.py.
    void scoresTheSecondVersion()
    {
        const AnswerScores scores = scoresOf(AnswerScores::Rules::Squad2, withUnanswerable());
        QCOMPARE(scores.all().questions, std::int64_t(8));
        QCOMPARE(scores.exactMatch(), 50.0);
        QVERIFY(isNear(scores.f1(), 57.14285714285714));
        QCOMPARE(scores.withAnswer().questions, std::int64_t(6));
        QCOMPARE(scores.withAnswer().exactMatch(), 50.0);
        QVERIFY(isNear(scores.withAnswer().f1(), 59.523809523809526));
        QCOMPARE(scores.withoutAnswer().questions, std::int64_t(2));
        QCOMPARE(scores.withoutAnswer().exactMatch(), 50.0);
        QCOMPARE(scores.withoutAnswer().f1(), 50.0);
    }

    void countsOfBatchesAddUp()
    {
        AnswerScores sum(AnswerScores::Rules::Squad2);
        for (const Question& question : withUnanswerable())
            sum.add(scoresOf(AnswerScores::Rules::Squad2, {question}));
        QVERIFY(isNear(sum.f1(), scoresOf(AnswerScores::Rules::Squad2, withUnanswerable()).f1()));
        QCOMPARE(AnswerScores(AnswerScores::Rules::Squad1).f1(), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestAnswerScores)
#include "tst_answer_scores.moc"
