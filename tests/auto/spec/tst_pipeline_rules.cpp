#include <QTest>

#include "engine/spec/names.h"
#include "engine/spec/pipeline_rules.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

using Kind = PipelineScheduleKind;

struct Pipeline {
    Kind schedule = Kind::OneForwardOneBackward;
    int ranks = 4;
    int virtualStages = 1;
    int microBatches = 8;
    int layers = 12;
};

RunSpec specOf(const Pipeline& pipeline)
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    spec.model.layers = pipeline.layers;
    spec.layout.schedule = pipeline.schedule;
    spec.layout.pipeline = pipeline.ranks;
    spec.layout.virtualStages = pipeline.virtualStages;
    spec.batch = {pipeline.microBatches, 1, pipeline.microBatches};
    spec.cluster.nodes[0].slotCount = pipeline.ranks;
    return spec;
}

} // namespace

Q_DECLARE_METATYPE(Pipeline)

class TestPipelineRules : public QObject {
    Q_OBJECT

private slots:
    void acceptsWhatWorks_data()
    {
        QTest::addColumn<Pipeline>("pipeline");
        QTest::addRow("1f1b") << Pipeline{};
        QTest::addRow("1f1b, as many micro-batches as ranks")
            << Pipeline{Kind::OneForwardOneBackward, 4, 1, 4};
        QTest::addRow("gpipe, one micro-batch") << Pipeline{Kind::GPipe, 4, 1, 1};
        QTest::addRow("interleaved") << Pipeline{Kind::Interleaved, 4, 3, 8};
        QTest::addRow("interleaved, micro-batches no multiple of the ranks")
            << Pipeline{Kind::Interleaved, 4, 2, 7};
        QTest::addRow("zero-bubble") << Pipeline{Kind::ZeroBubble};
        QTest::addRow("one layer per stage") << Pipeline{Kind::Interleaved, 4, 3, 4, 12};
        QTest::addRow("no pipeline, idle fields") << Pipeline{Kind::Interleaved, 1, 1, 1, 1};
    }
    void acceptsWhatWorks()
    {
        QFETCH(Pipeline, pipeline);
        QCOMPARE(print(pipelineProblems(specOf(pipeline))), "");
    }

    void refusesWithTheNearestSettings_data()
    {
        QTest::addColumn<Pipeline>("pipeline");
        QTest::addColumn<QString>("said");
        QTest::addRow("too few micro-batches")
            << Pipeline{Kind::OneForwardOneBackward, 4, 1, 3}
            << "batch.accumulation: the 1f1b schedule on 4 pipeline ranks needs at least 4 micro-batches, "
               "not 3"
               " | raise batch.accumulation to 4, lower layout.pipeline to 3, or set layout.schedule to "
               "\"gpipe\"";
        QTest::addRow("too few micro-batches, interleaved")
            << Pipeline{Kind::Interleaved, 4, 2, 2}
            << "batch.accumulation: the interleaved schedule on 4 pipeline ranks needs at least 4 "
               "micro-batches,"
               " not 2 | raise batch.accumulation to 4, lower layout.pipeline to 2, or set layout.schedule "
               "to "
               "\"gpipe\"";
        QTest::addRow("chunks without interleaving")
            << Pipeline{Kind::ZeroBubble, 4, 2}
            << "layout.virtual_stages: the zero-bubble schedule has 1 chunk of the model per rank, not 2 | "
               "set "
               "layout.virtual_stages to 1, or layout.schedule to \"interleaved\"";
        QTest::addRow("interleaving without chunks")
            << Pipeline{Kind::Interleaved, 4, 1}
            << "layout.virtual_stages: the interleaved schedule needs at least 2 chunks of the model per "
               "rank | "
               "set layout.virtual_stages to 2, or layout.schedule to \"1f1b\"";
        QTest::addRow("fewer layers than ranks")
            << Pipeline{Kind::GPipe, 4, 1, 8, 3}
            << "layout.pipeline: 3 layers cannot fill 4 stages (pipeline 4 x 1 virtual stage) | lower "
               "layout.pipeline to 3, or raise model.layers to 4";
        QTest::addRow("fewer layers than chunks")
            << Pipeline{Kind::Interleaved, 4, 4, 8, 12}
            << "layout.pipeline: 12 layers cannot fill 16 stages (pipeline 4 x 4 virtual stages) | lower "
               "layout.virtual_stages to 3, or lower layout.pipeline to 3, or raise model.layers to 16";
        QTest::addRow("layers for one chunk per rank only")
            << Pipeline{Kind::Interleaved, 4, 2, 8, 5}
            << "layout.pipeline: 5 layers cannot fill 8 stages (pipeline 4 x 2 virtual stages) | set "
               "layout.schedule to \"1f1b\" and layout.virtual_stages to 1, or lower layout.pipeline to 2, "
               "or "
               "raise model.layers to 8";
    }
    void refusesWithTheNearestSettings()
    {
        QFETCH(Pipeline, pipeline);
        QTEST(print(pipelineProblems(specOf(pipeline))), "said");
    }

    void keepsTheGlobalBatchWhereItCan()
    {
        RunSpec spec = specOf({Kind::OneForwardOneBackward, 4, 1, 2});
        spec.batch = {12, 6, 2};
        const QString said = print(pipelineProblems(spec));
        QVERIFY2(said.endsWith("; batch.micro 3 with batch.accumulation 4 keeps the global batch"),
                 qPrintable(said));
    }

    void readsAPartitionByHand_data()
    {
        QTest::addColumn<QList<int>>("counts");
        QTest::addColumn<QString>("said");
        QTest::addRow("fits") << QList<int>{2, 5, 4, 1} << "";
        QTest::addRow("wrong number of stages")
            << QList<int>{6, 6}
            << "layout.partition: [6, 6] is for 2 stages, and the layout has 4 | e.g. [3, 3, 3, 3]";
        QTest::addRow("wrong sum") << QList<int>{3, 3, 3, 4}
                                   << "layout.partition: [3, 3, 3, 4] adds up to 13, and the model has 12 "
                                      "layers | e.g. [3, 3, 3, 3]";
        QTest::addRow("empty stage")
            << QList<int>{6, 0, 3, 3}
            << "layout.partition: [6, 0, 3, 3] leaves a stage without a layer | e.g. [3, 3, 3, 3]";
    }
    void readsAPartitionByHand()
    {
        QFETCH(QList<int>, counts);
        RunSpec spec = specOf({});
        spec.layout.partition = {PartitionKind::ByHand, {counts.begin(), counts.end()}};
        QTEST(print(pipelineProblems(spec)), "said");
    }

    void proposesLongerStagesInTheMiddle()
    {
        RunSpec spec = specOf({Kind::GPipe, 4, 1, 8, 14});
        spec.layout.partition = {PartitionKind::ByHand, {14}};
        QVERIFY(print(pipelineProblems(spec)).endsWith("e.g. [3, 4, 4, 3]"));
    }

    void standsAmongTheOtherChecks()
    {
        RunSpec spec = specOf({Kind::OneForwardOneBackward, 4, 1, 2, 3});
        const QString said = print(validate(spec));
        QVERIFY2(said.contains("needs at least 4 micro-batches") &&
                     said.contains("3 layers cannot fill 4 stages"),
                 qPrintable(said));
        spec.layout.virtualStages = 0;
        QVERIFY(print(validate(spec)).contains("layout.virtual_stages: is 0 | must be at least 1"));
    }
};

QTEST_APPLESS_MAIN(TestPipelineRules)
#include "tst_pipeline_rules.moc"
