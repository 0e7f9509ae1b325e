#include <cmath>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/history/model/run_comparison.h"
#include "app/runs/open_run.h"
#include "app/runs/run_database.h"
#include "app/runs/run_list_model.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

support::SampleRun sample(const QString& name, int worldSize, double learningRate)
{
    support::SampleRun run;
    run.name = name;
    run.worldSize = worldSize;
    run.learningRate = learningRate;
    run.seed = unsigned(worldSize);
    return run;
}

} // namespace

class TestRunComparison : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_runs.clear();
    }

    void listsOnlyFieldsThatDiffer()
    {
        const auto runs = open({sample("a", 2, 1e-3), sample("b", 2, 2e-3)});
        const TextTable table = specificationDifferences(runs);
        QCOMPARE(table.columns, (QStringList{"field", "a", "b"}));
        QCOMPARE(table.rows, (QList<QStringList>{{"optimizer.learning_rate", "0.001", "0.002"}}));
    }

    void showsFieldsByTheirLabelsWithThePathsAsToolTips()
    {
        const TextTable table = withFieldLabels(TextTable{{"field", "a", "b"},
                                                          {{"checkpoint.keep_every", "0", "50"},
                                                           {"checkpoint.save_to", "0", "1"},
                                                           {"cluster.nodes[1].slots", "0", "4"},
                                                           {"launch.grace_period", "15 s", "30 s"},
                                                           {"launch.steps", "100", "200"},
                                                           {"layout.schedule", "1f1b", "gpipe"},
                                                           {"optimizer.schedule", "poly", "cosine"},
                                                           {"phases[0].steps", "50", "100"},
                                                           {"phases[1].batch.packing", "true", "false"}}});
        QCOMPARE(table.columns.front(), "Field");
        QCOMPARE(table.tips[0], "checkpoint.keep_every");
        QCOMPARE(table.rows, (QList<QStringList>{{"Keep permanently", "Off", "50"},
                                                 {"checkpoint.save_to", "0", "1"}, // not in the form
                                                 {"Host 2: slots", "0", "4"},
                                                 {"Stop timeout (s)", "15 s", "30 s"},
                                                 {"Steps", "100", "200"},
                                                 {"Parallelism: Schedule", "1f1b", "gpipe"},
                                                 {"Optimizer: Schedule", "poly", "cosine"},
                                                 {"Phase 1: Steps", "50", "100"},
                                                 {"Phase 2: Pack sequences", "true", "false"}}));
        QCOMPARE(withFieldLabels(QString("see phases[1].batch.packing")),
                 QString("see \u201CPhase 2: Pack sequences\u201D"));
        QCOMPARE(withFieldLabels(QString("dataset.mix[1].weight of dataset.mix, batch.ramp.start")),
                 QString("\u201CData set 2: weight\u201D of \u201CMix of data sets\u201D, \u201CBatch at "
                         "start\u201D"));
    }

    void anErrorByItselfIsASentence()
    {
        QCOMPARE(asSentence("cannot read x"), "Cannot read x");
        QCOMPARE(asSentence("a rank is lost"), "A rank is lost");
        for (const char* text : {"", "gpu-03: no route", "host: no route", "localhost is busy", "/data: gone",
                                 "batch.global is 3", "10 hosts are away"})
            QCOMPARE(asSentence(text), text);
    }

    void equalSpecificationsDifferInNothing()
    {
        QVERIFY(specificationDifferences(open({sample("a", 2, 1e-3), sample("b", 2, 1e-3)})).rows.isEmpty());
        QVERIFY(specificationDifferences(open({sample("c", 2, 1e-3)})).rows.isEmpty());
    }

    void tellsRunsOfTheSameNameApart()
    {
        auto second = sample("a", 2, 1e-3);
        second.seed = 0xbeef;
        const QStringList labels = labelsOf(open({sample("a", 2, 1e-3), second, sample("b", 4, 1e-3)}));
        QCOMPARE(labels, (QStringList{"a (0002)", "a (beef)", "b"}));
    }

    void scalesAgainstTheSmallestWorld()
    {
        const auto rows = scalingOf(open({sample("c", 4, 1e-3), sample("a", 1, 1e-3), sample("b", 2, 1e-3)}));
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows.first().worldSize, 1);
        // The samples follow Amdahl's law with 6 % that does not scale; noise is below 5 %.
        const double ideal = 1 / (0.06 + 0.94 / 4);
        QVERIFY2(std::abs(rows.last().speedup - ideal) < 0.05 * ideal,
                 qPrintable(QString::number(rows.last().speedup)));
        QCOMPARE(scalingText(rows).rows.first().first(), QString("1"));
    }

    void comparesTheTimeToTheTarget()
    {
        auto one = sample("a", 1, 1e-3);
        one.evaluateEvery = 40;
        one.heldOutTarget = 5;
        auto two = one;
        two.name = "b";
        two.worldSize = 2;
        two.heldOutTarget = 0.5; // which it never reaches
        const auto rows = scalingOf(open({one, two}));
        QVERIFY(rows[0].toTarget && !rows[1].toTarget);
        // By hand from sampleEvaluation(): 5.96 after step 80, 4.96 after step 120.
        QCOMPARE(rows[0].toTarget->step, std::int64_t(120));
        QCOMPARE(rows[0].toTarget->value, support::sampleEvaluation(one, 120).loss);
        double seconds = 3 * 0.25; // of its evaluations
        double tokens = 0;
        for (int step = 1; step <= 120; ++step) {
            seconds += support::sampleStep(one, step).stepSeconds;
            tokens += double(support::sampleStep(one, step).tokens);
        }
        QVERIFY(std::abs(rows[0].toTarget->seconds - seconds) < 1e-6);
        QCOMPARE(rows[0].toTarget->tokens, tokens);
        const TextTable table = scalingText(rows);
        QCOMPARE(table.columns.last(), QString("Time to target"));
        QCOMPARE(table.rows[1].last(), QString("–"));
        QCOMPARE(scalingText(scalingOf(open({sample("c", 1, 1e-3), sample("d", 2, 1e-3)}))).columns.size(),
                 6);
    }

    void tablesPassTheModelTester()
    {
        TextTableModel model;
        QAbstractItemModelTester tester(&model);
        model.setTable({{"x", "y"}, {{"1", "2"}, {"3", "4"}}});
        QCOMPARE(model.index(1, 1).data().toString(), QString("4"));
        QCOMPARE(model.toText(), QString("x\ty\n1\t2\n3\t4"));
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setTable({{"x", "y"}, {{"1", "2"}, {"3", "5"}}});
        QCOMPARE(resets.count(), 0); // the view keeps its place
        model.setTable({});
        QCOMPARE(model.rowCount(), 0);
    }

    void aChosenRunStaysChosenWhileTheSearchHidesIt()
    {
        auto library = RunDatabase::open(m_folder->filePath("history.db")).value();
        for (const QString& id : QStringList{"a", "b"}) {
            RunEntry entry;
            entry.id = entry.name = id;
            QVERIFY(library->store(entry).ok());
        }
        RunListModel list(*library);
        RunPickModel picks;
        picks.setSourceModel(&list);
        QAbstractItemModelTester tester(&picks);
        QVERIFY(picks.setData(picks.index(0, 0), Qt::Checked, Qt::CheckStateRole));
        const QStringList chosen = picks.chosen();
        QCOMPARE(chosen.size(), 1);
        picks.setSearch("nothing like this");
        QCOMPARE(picks.rowCount(), 0);
        QCOMPARE(picks.chosen(), chosen);
        picks.setSearch({});
        QCOMPARE(picks.index(0, 0).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QVERIFY(picks.setData(picks.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(picks.chosen().isEmpty());
    }

private:
    QList<const OpenRun*> open(const QList<support::SampleRun>& samples)
    {
        QList<const OpenRun*> runs;
        for (const support::SampleRun& run : samples) {
            m_runs.push_back(std::make_unique<OpenRun>(
                readRunFolder(support::writeSampleRun(m_folder->path(), run)).value()));
            runs.append(m_runs.back().get());
        }
        return runs;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::vector<std::unique_ptr<OpenRun>> m_runs;
};

QTEST_GUILESS_MAIN(TestRunComparison)
#include "tst_run_comparison.moc"
