// Before Qt, whose macro "slots" would cut the field of that name.
#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "remote/agent/supervise/elastic_world.h"

#include <QTemporaryDir>
#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;

namespace {

using Hosts = std::vector<std::string>;

/// Four replicas on a (1 rank), b (2) and c (1); 96 sequences a step, 8 at a time.
RunSpec wholeSpec()
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    spec.layout.data = 4;
    spec.batch = {96, 8, 3};
    spec.cluster.nodes = {{"a", 1, 0}, {"b", 2, 0}, {"c", 1, 0}};
    return spec;
}

LaunchRequest wholeRequest()
{
    LaunchRequest request;
    request.nodes = {{"a", 1, 0, {}}, {"b", 2, 0, {}}, {"c", 1, 0, {}}};
    return request;
}

Hosts hostsIn(const QString& names)
{
    Hosts hosts;
    for (const QString& name : names.split(' ', Qt::SkipEmptyParts))
        hosts.push_back(name.toStdString());
    return hosts;
}

QString print(const Hosts& hosts)
{
    QStringList names;
    for (const std::string& host : hosts)
        names << QString::fromStdString(host);
    return names.join(' ');
}

QString print(const std::vector<LaunchNode>& nodes)
{
    Hosts hosts;
    for (const LaunchNode& node : nodes)
        hosts.push_back(node.host);
    return print(hosts);
}

} // namespace

/// Which hosts take part in an attempt, and with how many ranks.
class TestElasticWorld : public QObject {
    Q_OBJECT

private slots:
    void shrinksToThePresentHosts_data()
    {
        QTest::addColumn<QString>("away");
        QTest::addColumn<QString>("present");
        QTest::addColumn<int>("replicas"); // 0 = the specification's own
        QTest::addRow("nobody away") << ""
                                     << "a b c" << 0;
        QTest::addRow("one rank away") << "c"
                                       << "a b" << 3;
        QTest::addRow("two ranks away") << "b"
                                        << "a c" << 2;
        QTest::addRow("the head alone") << "b c"
                                        << "a" << 1;
    }
    void shrinksToThePresentHosts()
    {
        QFETCH(QString, away);
        QFETCH(int, replicas);
        const LaunchRequest request = withoutHosts(wholeRequest(), hostsIn(away), wholeSpec()).value();
        QTEST(print(presentNodes(request)), "present");
        QCOMPARE(request.replicas, replicas);
        QCOMPARE(print(request.away), away);
        QCOMPARE(print(otherHosts(request)), QString("b c")); // wherever they are
    }

    void growsAgain()
    {
        const LaunchRequest small = withoutHosts(wholeRequest(), {"b"}, wholeSpec()).value();
        const LaunchRequest whole = withoutHosts(small, {}, wholeSpec()).value();
        QCOMPARE(whole.replicas, 0);
        QVERIFY(whole.away.empty());
        QCOMPARE(print(presentNodes(whole)), QString("a b c"));
    }

    void refusesLessThanOneCopyOfTheModel()
    {
        RunSpec spec = wholeSpec();
        spec.layout.pipeline = 4;
        spec.layout.data = 1;
        spec.batch = {96, 8, 12};
        const auto small = withoutHosts(wholeRequest(), {"c"}, spec);
        QCOMPARE(small.error().kind, ErrorKind::Refused);
        QVERIFY2(small.error().message.find("one copy of the model needs 4") != std::string::npos,
                 small.error().message.c_str());
    }

    void refusesWhatWouldNotFitIntoMemory()
    {
        LaunchRequest request = wholeRequest();
        request.leastReplicas = 3;
        QVERIFY(withoutHosts(request, {"c"}, wholeSpec()).ok());
        const auto small = withoutHosts(request, {"b"}, wholeSpec());
        QCOMPARE(small.error().kind, ErrorKind::Refused);
        QCOMPARE(small.error().message,
                 std::string("2 of at least 3 data-parallel ranks are left: according to the plan, each "
                             "would need more memory than its host has"));
    }

    void countsTheRanksOfTheAttempt()
    {
        const QTemporaryDir root;
        const RunFolder folder(root.path().toStdString(), "r");
        QVERIFY(makeFolder(folder.path()).ok());
        QVERIFY(writeFileAtomically(folder.spec(), toJson(wholeSpec())).ok());
        RunWork whole;
        whole.ranks = 4;
        QCOMPARE(workOf(wholeRequest(), folder, whole)->ranks, 4);
        const LaunchRequest small = withoutHosts(wholeRequest(), {"b"}, wholeSpec()).value();
        QCOMPARE(workOf(small, folder, whole)->ranks, 2);
    }

    void isKeptWithTheRequest()
    {
        LaunchRequest request = wholeRequest();
        request.bundle = std::string(64, 'b');
        request.leastReplicas = 2;
        const LaunchRequest small = withoutHosts(request, {"c"}, wholeSpec()).value();
        const LaunchRequest again = parseLaunchRequest(toJson(small)).value();
        QCOMPARE(print(again.away), QString("c"));
        QCOMPARE(again.replicas, 3);
        QCOMPARE(again.leastReplicas, 2);
    }
};

QTEST_APPLESS_MAIN(TestElasticWorld)
#include "tst_elastic_world.moc"
