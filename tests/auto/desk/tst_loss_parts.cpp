#include <QTest>

#include "app/runs/loss_parts.h"
#include "app/runs/named_series.h"
#include "app/runs/open_run.h"
#include "app/runs/recorded_run.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

RecordedRun trainedRun(const ModelSpec& model)
{
    RecordedRun run;
    run.facts.id = "20261121T091505Z-bert-tiny-0001";
    run.facts.spec.emplace().model = model;
    std::vector<Record> records;
    for (int step = 1; step <= 10; ++step)
        records.push_back(
            {1, std::uint64_t(step), {0, step * 1'000'000'000LL}, support::sampleStep({}, step)});
    run.series.apply("steps", records);
    return run;
}

QStringList titlesOf(const RunFacts& facts)
{
    QStringList titles;
    for (const LossPart& part : lossParts(facts))
        titles << part.title;
    return titles;
}

QStringList lossesIn(const RecordedRun& run)
{
    QStringList names;
    for (const NamedSeries& series : namedSeries(run.facts, run.series)) {
        if (series.name.startsWith("loss"))
            names << series.name;
    }
    return names;
}

} // namespace

/// What the losses of a run are called.
class TestLossParts : public QObject {
    Q_OBJECT

private slots:
    void ofATaskHaveItsName_data()
    {
        QTest::addColumn<TaskKind>("task");
        QTest::addColumn<QString>("title");
        QTest::addRow("classify") << TaskKind::Classify << "Classification loss";
        QTest::addRow("regress") << TaskKind::Regress << "Regression loss";
        QTest::addRow("tag") << TaskKind::Tag << "Tagging loss";
        QTest::addRow("answer") << TaskKind::Answer << "Answer-span loss";
        QTest::addRow("complete") << TaskKind::Complete << "Completion loss";
    }
    void ofATaskHaveItsName()
    {
        QFETCH(TaskKind, task);
        ModelSpec model;
        model.task.kind = task;
        const RecordedRun run = trainedRun(model);
        QTEST(lossTitle(run.facts), "title");
        QCOMPARE(titlesOf(run.facts), QStringList());
        QCOMPARE(lossesIn(run), QStringList{"loss"});
        QVERIFY(extraMetrics(OpenRun(run), "loss").empty());
    }

    void ofPreTrainingAreThoseOfItsHeads()
    {
        ModelSpec model;
        RecordedRun run = trainedRun(model);
        QCOMPARE(lossTitle(run.facts), "Loss");
        QCOMPARE(titlesOf(run.facts), (QStringList{"Masked-LM loss", "Next-sentence loss"}));
        QCOMPARE(lossesIn(run), (QStringList{"loss", "loss/masked_lm", "loss/next_sentence"}));
        QCOMPARE(extraMetrics(OpenRun(run), "loss").size(), std::size_t(2));
        model.nextSentence = false;
        QCOMPARE(titlesOf(trainedRun(model).facts), QStringList{"Masked-LM loss"});
    }

    void aDecoderHasOneLoss()
    {
        ModelSpec model;
        model.setFamily(ModelFamily::Gpt);
        const RecordedRun run = trainedRun(model);
        QCOMPARE(lossTitle(run.facts), "Loss");
        QCOMPARE(lossesIn(run), QStringList{"loss"});
    }

    void aRunOfAnUnknownModelShowsWhatItRecorded()
    {
        RecordedRun run = trainedRun({});
        run.facts.spec.reset();
        QCOMPARE(lossesIn(run), (QStringList{"loss", "loss/masked_lm", "loss/next_sentence"}));
    }
};

QTEST_GUILESS_MAIN(TestLossParts)
#include "tst_loss_parts.moc"
