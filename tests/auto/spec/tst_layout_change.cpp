// Before Qt, whose macro "slots" would cut the field of that name.
#include "engine/spec/layout_change.h"
#include "engine/spec/spec_json.h"

#include <QTest>

using namespace trainyard;

Q_DECLARE_METATYPE(std::vector<trainyard::NodeSpec>)

namespace {

/// Four data-parallel ranks on two hosts; 32 sequences a step.
RunSpec wide()
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    spec.layout.data = 4;
    spec.batch = {32, 8, 1};
    spec.cluster.nodes = {{"a", 2, 0}, {"b", 2, 0}};
    spec.optimizer.learningRate = 1e-3;
    return spec;
}

/// The same on tensor-parallel ranks.
RunSpec deep()
{
    RunSpec spec = wide();
    spec.layout.data = 1;
    spec.layout.tensor = 2;
    spec.batch = {32, 4, 8};
    spec.memory.recompute = RecomputeKind::Full;
    spec.cluster.nodes = {{"a", 1, 0}, {"b", 1, 0}};
    return spec;
}

} // namespace

/// What a run may change when it goes on, and what not.
class TestLayoutChange : public QObject {
    Q_OBJECT

private slots:
    void spreadsTheRunAsTheOther()
    {
        RunSpec other = deep();
        other.optimizer.learningRate = 5;
        other.model.layers = 99;
        other.dataset.path = "/elsewhere";
        const auto changed = withLayout(wide(), layoutText(other));
        QVERIFY2(changed.ok(),
                 qPrintable(QString::fromStdString(changed.ok() ? "" : changed.error().text())));
        RunSpec expected = wide();
        expected.layout = other.layout;
        expected.batch = other.batch;
        expected.memory = other.memory;
        expected.cluster = other.cluster;
        QVERIFY(*changed == expected);
    }

    void mayHaveOtherHosts_data()
    {
        QTest::addColumn<std::vector<NodeSpec>>("nodes");
        QTest::addRow("fewer") << std::vector<NodeSpec>{{"a", 2, 0}};
        QTest::addRow("others") << std::vector<NodeSpec>{{"a", 1, 0}, {"c", 1, 0}};
        QTest::addRow("more") << std::vector<NodeSpec>{{"a", 1, 0}, {"b", 1, 0}, {"c", 1, 0}};
    }
    void mayHaveOtherHosts()
    {
        QFETCH(std::vector<NodeSpec>, nodes);
        RunSpec other = deep();
        other.cluster.nodes = nodes;
        const auto changed = withLayout(wide(), layoutText(other));
        QVERIFY2(changed.ok(), changed.ok() ? "" : changed.error().text().c_str());
        QVERIFY(changed->cluster == other.cluster);
    }

    void refusesWhatIsAnotherTraining_data()
    {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<ErrorKind>("kind");
        QTest::addColumn<QString>("reason");
        RunSpec batch = deep();
        batch.batch = {64, 8, 8};
        QTest::addRow("global batch") << QString::fromStdString(layoutText(batch)) << ErrorKind::Refused
                                      << "batch.global is 64, and the run has 32";
        RunSpec otherHead = deep();
        otherHead.cluster.nodes = {{"b", 1, 0}, {"a", 1, 0}};
        QTest::addRow("another head")
            << QString::fromStdString(layoutText(otherHead)) << ErrorKind::Refused
            << "the first host of cluster.nodes is b, but a has the run's records — name a first";
        QTest::addRow("model") << R"({"model": {"layers": 2}})" << ErrorKind::BadInput << "model";
        QTest::addRow("not JSON") << "{" << ErrorKind::BadInput << "no JSON object";
        QTest::addRow("unknown field") << R"({"layout": {"dta": 2}})" << ErrorKind::BadInput << "layout.dta";
        QTest::addRow("what cannot work") << R"({"batch": {"global": 32, "micro": 5, "accumulation": 1}})"
                                          << ErrorKind::BadInput << "batch.global: is 32";
    }
    void refusesWhatIsAnotherTraining()
    {
        QFETCH(QString, layout);
        QFETCH(QString, reason);
        const auto changed = withLayout(wide(), layout.toStdString());
        QVERIFY(!changed.ok());
        QTEST(changed.error().kind, "kind");
        QVERIFY2(QString::fromStdString(changed.error().text()).contains(reason),
                 changed.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TestLayoutChange)
#include "tst_layout_change.moc"
