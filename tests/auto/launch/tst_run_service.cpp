#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/launch/run_service.h"
#include "remote/stream/run_follower.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

/// With the local agent, and a shell script in the place of trainyard-prepare.
class TestRunService : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_dir->filePath("desk").toUtf8());
        qputenv("TRAINYARD_BIN", m_dir->filePath("bin").toUtf8());
        QVERIFY(QDir(m_dir->path()).mkpath("bin"));
        QVERIFY(QFile::link(QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-agent"),
                            m_dir->filePath("bin/trainyard-agent")));
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        m_pool = std::make_unique<TargetPool>(options);
        m_service = std::make_unique<RunService>(*m_pool);
    }
    void cleanup()
    {
        m_service.reset();
        m_pool.reset();
        for (const char* name : {"TRAINYARD_DATA", "TRAINYARD_BIN"})
            qunsetenv(name);
    }

    void namesTheFieldOfABadSpecification()
    {
        RunSpec spec;
        spec.dataset.path = "/data";
        spec.batch = {30, 8, 4};
        const auto result = finish(m_service->launch(spec));
        QCOMPARE(result.error().kind, ErrorKind::BadInput);
        QVERIFY2(result.error().text().find("batch") != std::string::npos, result.error().text().c_str());
        QVERIFY(deskRuns().empty());
    }

    void refusesThisMachineBesideOthers()
    {
        const auto result = finish(m_service->launch(specOn({"localhost", "gpu-1"})));
        QCOMPARE(result.error().kind, ErrorKind::Refused);
        QVERIFY(result.error().message.find("localhost") != std::string::npos);
    }

    void saysWhichHostCannotBeReached()
    {
        const auto result = finish(m_service->launch(specOn({"-oProxyCommand=id"})));
        QCOMPARE(result.error().kind, ErrorKind::BadInput);
        QVERIFY(deskRuns().empty());
    }

    void doesNotKnowWhatItNeverSaw()
    {
        QCOMPARE(finish(m_service->resume("nothing")).error().kind, ErrorKind::BadInput);
        QCOMPARE(finish(m_service->stop("nothing")).error().kind, ErrorKind::BadInput);
        const Error nothing = finish(m_service->attach("localhost", "nothing")).error();
        QCOMPARE(nothing.kind, ErrorKind::BadInput);
        QVERIFY2(nothing.hint.starts_with("it has no runs;"), nothing.hint.c_str());
    }

    void saysAtOnceThatTheDataSetIsNotThere()
    {
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = m_dir->filePath("no such set").toStdString();
        const auto result = finish(m_service->launch(spec));
        QCOMPARE(result.error().kind, ErrorKind::BadInput);
        QVERIFY2(result.error().message.find("no such set/manifest.json") != std::string::npos,
                 result.error().message.c_str());
        QVERIFY(deskRuns().empty());
    }

    void saysAtOnceThatTheEvaluatedDataSetIsNotThere()
    {
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = writeManifest(1000, 128).toStdString();
        spec.evaluation.dataset = m_dir->filePath("no such set").toStdString();
        const auto result = finish(m_service->launch(spec));
        QCOMPARE(result.error().kind, ErrorKind::BadInput);
        QVERIFY2(contains(result.error(), "evaluation.dataset: ") && contains(result.error(), "no such set"),
                 result.error().text().c_str());
        QVERIFY(deskRuns().empty());
    }

    void findsWhatDoesNotFitTheDataSetBeforeAnyRankStarts()
    {
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = writeManifest(40'000, 128).toStdString();
        const auto vocabulary = finish(m_service->launch(spec));
        QCOMPARE(vocabulary.error().kind, ErrorKind::BadInput);
        QVERIFY2(contains(vocabulary.error(), "model.vocabulary"), vocabulary.error().text().c_str());
        spec.dataset.path = writeManifest(1000, 1024).toStdString();
        const auto positions = finish(m_service->launch(spec));
        QVERIFY2(contains(positions.error(), "model.max_positions"), positions.error().text().c_str());
        QVERIFY(deskRuns().empty());
    }

    void refusesWhatDoesNotFitIntoTheMemoryOfAHost()
    {
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = writeManifest(1000, 128).toStdString();
        spec.model.hidden = spec.model.heads * 10'000; // some 10^10 parameters
        const auto result = finish(m_service->launch(spec));
        QCOMPARE(result.error().kind, ErrorKind::Refused);
        QVERIFY2(contains(result.error(), "localhost") && contains(result.error(), "batch.micro"),
                 result.error().text().c_str());
        QVERIFY(deskRuns().empty());
    }

    void tellsOfABatchThatIsLargerThanTheDataSet()
    {
        writeScript("trainyard-worker", "exit 0");
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = writeManifest(1000, 128, 31).toStdString();
        RunOperation* operation = m_service->launch(spec);
        QSignalSpy noticed(operation, &RunOperation::noticed);
        const auto run = finish(operation);
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        QCOMPARE(noticed.size(), 1);
        QVERIFY2(noticed[0][0].toString().contains("31 training rows"), qPrintable(noticed[0][0].toString()));
        AWAIT_EQUAL(listed(*run).state, RunState::Finished);
    }

    // Of a run in this machine's agent folder, where the "host" has another one.
    void sendsWeightsThatOnlyThisComputerHas()
    {
        writeScript("trainyard-worker", "exit 0");
        qputenv("TRAINYARD_HOME", m_dir->filePath("here").toUtf8());
        const auto reset = qScopeGuard([] { qunsetenv("TRAINYARD_HOME"); });
        const QString folder = m_dir->filePath("here/runs/source");
        QVERIFY(QDir().mkpath(folder));
        for (const QString name : {"config.json", "model.safetensors"})
            QVERIFY(QFile::copy(goldenBert() + name, folder + '/' + name));
        RunSpec spec = specOn({"localhost"});
        spec.model = goldenModel();
        spec.dataset.path = writeManifest(19, 8).toStdString();
        spec.init.path = "source";
        RunOperation* operation = m_service->launch(spec);
        const QSignalSpy noticed(operation, &RunOperation::noticed);
        const auto run = finish(operation);
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        QVERIFY2(noticed.empty(), noticed.empty() ? "" : qPrintable(noticed[0][0].toString()));
        const QString there = m_dir->filePath("agent/runs/" + *run + "/weights/");
        QCOMPARE(QDir(there).entryList(QDir::Files), (QStringList{"config.json", "model.safetensors"}));
        for (const QString name : {"config.json", "model.safetensors"})
            QCOMPARE(contentOf(there + name), contentOf(goldenBert() + name));

        // Refused before the host has anything of the run.
        spec.model.hidden = 16;
        const auto other = finish(m_service->launch(spec));
        QVERIFY2(contains(other.error(), "model.hidden: is 16, but the Hugging Face model ") &&
                     contains(other.error(),
                              "bert.embeddings.word_embeddings.weight is [19, 16] here and [19, 8] there"),
                 other.error().text().c_str());
        spec.init.path = "/no/such/folder";
        const auto nowhere = finish(m_service->launch(spec));
        QVERIFY2(
            contains(nowhere.error(), "init.path: neither localhost nor this computer has /no/such/folder"),
            nowhere.error().text().c_str());
        spec.init.path = run->toStdString() + "a";
        const auto mistyped = finish(m_service->launch(spec));
        QVERIFY2(contains(mistyped.error(), ("did you mean " + run->toStdString() + "?").c_str()),
                 mistyped.error().text().c_str());
        QCOMPARE(runsOfTheAgent(), QStringList{*run});
    }

    void doesNotResumeWhatIsFinished()
    {
        writeScript("trainyard-worker", "exit 0");
        RunSpec spec = specOn({"localhost"});
        spec.dataset.path = writeManifest(1000, 128).toStdString();
        const auto run = finish(m_service->launch(spec));
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        AWAIT_EQUAL(listed(*run).state, RunState::Finished);
        const auto resumed = finish(m_service->resume(*run));
        QCOMPARE(resumed.error().kind, ErrorKind::Refused);
        QVERIFY2(contains(resumed.error(), "is finished"), resumed.error().text().c_str());
        QCOMPARE(listed(*run).attempt, 1);
    }

    void runsADataJobToItsEnd()
    {
        writePrepare("exit 0");
        QSignalSpy launched(m_service.get(), &RunService::runLaunched);
        const auto run =
            finish(m_service->launchPrepare("localhost", "wiki", {"dump.xml", "--out", "x; touch y"}));
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        QCOMPARE(launched.size(), 1);
        QCOMPARE(deskRuns().size(), std::size_t{1});
        AWAIT_EQUAL(listed(*run).state, RunState::Finished);
        QCOMPARE(listed(*run).kind, RunKind::Prepare);
        QCOMPARE(listed(*run).name, QString("wiki"));
    }

    void stopsADataJob()
    {
        writePrepare("sleep 600");
        const auto run = finish(m_service->launchPrepare("localhost", "wiki", {"dump.xml"}));
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        AWAIT_EQUAL(listed(*run).state, RunState::Running);
        const auto stopped = finish(m_service->stop(*run, {true, 500ms}));
        QVERIFY2(stopped.ok(), stopped.ok() ? "" : stopped.error().text().c_str());
        AWAIT_EQUAL(listed(*run).state, RunState::Stopped);
        QVERIFY(finish(m_service->stop(*run)).ok()); // again
    }

    void findsARunAgainAfterTheDeskForgotIt()
    {
        writePrepare("exit 0");
        const auto run = finish(m_service->launchPrepare("localhost", "wiki", {"dump.xml"}));
        QVERIFY(run.ok());
        QVERIFY(QDir(m_dir->filePath("desk")).removeRecursively());
        // As of hundreds of hosts: more than one answer of the agent can carry.
        QFile inventory(m_dir->filePath("agent/runs/" + *run + "/inventory.json"));
        QVERIFY(inventory.open(QIODevice::WriteOnly | QIODevice::Truncate));
        inventory.write("{\"hosts\":[{\"host\":\"localhost\",\"probe\":\"" + QByteArray(1'500'000, 'x') +
                        "\"},{\"host\":\"gpu-2\"}]}");
        inventory.close();
        QVERIFY(deskRuns().empty());
        const auto attached = finish(m_service->attach("localhost", *run));
        QVERIFY2(attached.ok(), attached.ok() ? "" : attached.error().text().c_str());
        const auto known = loadDeskRun(*run);
        QVERIFY(known.ok());
        QCOMPARE(known->name, QString("wiki"));
        QCOMPARE(known->hosts, (QStringList{"localhost", "gpu-2"}));
    }

    void endsWhenTheLinkIsClosedBeforeItIsUp()
    {
        TargetOptions options;
        options.agentPath = m_dir->filePath("bin/silent");
        writeScript("silent", "exec sleep 600");
        TargetPool pool(options);
        RunService service(pool);
        RunOperation* operation = service.launchPrepare("localhost", "wiki", {"dump.xml"});
        connect(operation, &RunOperation::progress, this, [&] {
            QMetaObject::invokeMethod(
                this, [&] { pool.find("localhost")->close(); }, Qt::QueuedConnection);
        });
        QCOMPARE(finish(operation).error().kind, ErrorKind::Cancelled);
        QVERIFY(deskRuns().empty());
    }

    void takesEverythingBackWhenItIsCancelled_data()
    {
        QTest::addColumn<QString>("stage");
        QTest::addColumn<Qt::ConnectionType>("when");
        for (const char* stage : {"creating the run", "starting the run"}) {
            QTest::addRow("before: %s", stage) << stage << Qt::DirectConnection;
            QTest::addRow("while the host does it: %s", stage) << stage << Qt::QueuedConnection;
        }
    }
    void takesEverythingBackWhenItIsCancelled()
    {
        QFETCH(QString, stage);
        QFETCH(Qt::ConnectionType, when);
        writePrepare("sleep 600");
        RunOperation* operation = m_service->launchPrepare("localhost", "wiki", {"dump.xml"});
        const QSignalSpy launched(m_service.get(), &RunService::runLaunched);
        connect(operation, &RunOperation::progress, this, [=](const QString& text) {
            if (text.startsWith(stage))
                QMetaObject::invokeMethod(
                    operation, [operation] { operation->cancel(); }, when);
        });
        const auto result = finish(operation);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        QCOMPARE(launched.size(), 0);
        QVERIFY(deskRuns().empty());
        QVERIFY(runsOfTheAgent().isEmpty());
    }

    void remembersARunThatItCouldNotTakeBack()
    {
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        options.agentPath = m_dir->filePath("bin/absent");
        const QString away = m_dir->filePath("away");
        writeScript("absent",
                    "[ -e '" + away.toUtf8() + "' ] || exec '" TRAINYARD_BIN_DIR "/trainyard-agent' \"$@\"");
        TargetPool pool(options);
        RunService service(pool);
        writePrepare("sleep 600");
        RunOperation* operation = service.launchPrepare("localhost", "wiki", {"dump.xml"});
        connect(operation, &RunOperation::progress, this, [&, operation](const QString& text) {
            if (text.startsWith("starting the run"))
                operation->cancel();
            if (!text.startsWith("rolling back the launch"))
                return;
            QFile(away).open(QIODevice::WriteOnly);
            pool.find("localhost")->close();
        });
        const auto result = finish(operation);
        QVERIFY(!result.ok());
        QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        QVERIFY2(contains(result.error(), "may remain"), result.error().text().c_str());
        QCOMPARE(deskRuns().size(), std::size_t(1));
        QCOMPARE(runsOfTheAgent(), QStringList{deskRuns().front().id});
        QVERIFY(QFile::remove(away));
        AWAIT_EQUAL(pool.find("localhost")->state(), Target::State::Ready);
        QVERIFY(finish(service.stop(deskRuns().front().id)).ok());
    }

    /// A launch whose answer is an error may be at work all the same.
    void endsARunBeforeItTakesItBack()
    {
        TargetOptions options;
        options.agentRoot = m_dir->filePath("agent");
        options.agentPath = m_dir->filePath("bin/overheard");
        writeScript("overheard", "tee '" + m_dir->filePath("asked").toUtf8() +
                                     "' | '" TRAINYARD_BIN_DIR "/trainyard-agent' \"$@\"");
        TargetPool pool(options);
        RunService service(pool);
        const auto result = finish(service.launchPrepare("localhost", "wiki", {"dump.xml"}));
        QVERIFY2(contains(result.error(), "there is no program"), result.error().text().c_str());
        const auto asked = [&] {
            QFile requests(m_dir->filePath("asked"));
            return requests.open(QIODevice::ReadOnly) ? requests.readAll() : QByteArray();
        };
        AWAIT(asked().contains("\"op\":\"remove-run\"")); // tee writes to the agent first
        const auto stop = asked().indexOf("\"op\":\"stop\"");
        QVERIFY2(stop > 0 && stop < asked().indexOf("\"op\":\"remove-run\""), asked().constData());
        QVERIFY(deskRuns().empty());
    }

private:
    static RunSpec specOn(const std::vector<std::string>& hosts)
    {
        RunSpec spec;
        spec.dataset.path = "/data";
        spec.cluster.nodes.clear();
        for (const auto& host : hosts)
            spec.cluster.nodes.push_back({host, 1, 0});
        return spec;
    }
    static bool contains(const Error& error, const char* text)
    {
        return error.text().find(text) != std::string::npos;
    }
    /// The folder of a data set that is nothing but its manifest.
    QString writeManifest(int vocabulary, int length, int rows = 1000) const
    {
        const QString folder = m_dir->filePath("set");
        QDir().mkpath(folder);
        QFile manifest(folder + "/manifest.json");
        if (manifest.open(QIODevice::WriteOnly | QIODevice::Truncate))
            manifest.write(QString(R"({"version": 1, "sequence_length": %1, "max_predictions": 20,
                "vocabulary_size": %2, "vocabulary_sha256": "", "statistics": {"documents": 1, "tokens": 1},
                "shards": [{"file": "a", "rows": %3, "sha256": "", "training": true}]})")
                               .arg(length)
                               .arg(vocabulary)
                               .arg(rows)
                               .toUtf8());
        return folder;
    }
    static QString goldenBert() { return TRAINYARD_SOURCE_DIR "/tests/golden/hugging_face/bert/"; }
    static ModelSpec goldenModel()
    {
        ModelSpec model;
        model.layers = 2;
        model.hidden = 8;
        model.heads = 2;
        model.intermediate = 12;
        model.vocabulary = 19;
        model.maxPositions = 11;
        return model;
    }
    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList runsOfTheAgent() const
    {
        return QDir(m_dir->filePath("agent/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    void writePrepare(const QByteArray& body) const { writeScript("trainyard-prepare", body); }
    void writeScript(const QString& name, const QByteArray& body) const
    {
        QFile script(m_dir->filePath("bin/" + name));
        QVERIFY(script.open(QIODevice::WriteOnly | QIODevice::Truncate));
        script.write("#!/bin/sh\n" + body + '\n');
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    static Result<QString> finish(RunOperation* operation)
    {
        std::optional<Result<QString>> result;
        connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& r) { result = r; });
        [&] { AWAIT(result.has_value()); }();
        return result ? *result : failed("no end");
    }
    HostRun listed(const QString& id)
    {
        std::optional<Result<QList<HostRun>>> answer;
        m_service->listRuns("localhost", this, [&](const Result<QList<HostRun>>& runs) { answer = runs; });
        [&] { AWAIT(answer.has_value()); }();
        for (const HostRun& run : answer && answer->ok() ? answer->value() : QList<HostRun>()) {
            if (run.id == id)
                return run;
        }
        return {};
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
};

QTEST_GUILESS_MAIN(TestRunService)
#include "tst_run_service.moc"
