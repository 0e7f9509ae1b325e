#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include "engine/spec/spec_json.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/file_content.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;
using trainyard::support::contentOf;
using namespace trainyard::test;

// The commands for what the desk keeps: each does what it says, tells it as JSON where it can, and ends with
// the documented status and a message that names the fix where it was called wrongly.
class TestCommands : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_cli = std::make_unique<CliFixture>();
        support::SampleRun sample;
        m_run = write(sample);
        sample.name = "bert-fast";
        sample.learningRate = 5e-3;
        m_other = write(sample);
    }

    void everyWrongCallSaysWhatToDo_data()
    {
        QTest::addColumn<QStringList>("call");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("message");
        const auto wrong = [](const char* call, int status, const char* message) {
            QTest::addRow("%s", call) << QString(call).split(' ') << status << message;
        };
        wrong("frobnicate", 2, "there is no command `trainyard frobnicate`");
        wrong("lunch", 2, "did you mean `trainyard launch`?");
        wrong("hosts", 2, "`trainyard hosts` needs a command: add, list, check, remove");
        wrong("hosts remove", 2, "see `trainyard hosts remove --help`");
        wrong("hosts remove gpu-03", 2, "`trainyard hosts list` shows it");
        wrong("hosts remove localhost", 2, "always in the list");
        wrong("hosts add a;b", 2, "\"a;b\" is not a host: the host name contains ';'");
        wrong("hosts check a;b", 2, "use the name from your ssh configuration");
        wrong("runs tag RUN", 2, "see `trainyard runs tag --help`");
        wrong("runs tag nobody paper", 2, "`trainyard runs` lists the runs");
        wrong("runs note nobody text", 2, "`trainyard runs` lists the runs");
        wrong("runs archive nobody", 2, "`trainyard runs` lists the runs");
        wrong("runs spec nobody", 2, "`trainyard runs` lists the runs");
        wrong("runs spec RUN --out /nowhere/spec.json", 2, "there is no folder /nowhere — create it first");
        wrong("runs delete nobody", 2, "`trainyard runs` lists the runs");
        wrong("runs delete RUN", 3, "--confirm \"bert-tiny\"");
        wrong("runs delete RUN --confirm other", 3, "--confirm \"bert-tiny\"");
        wrong("clean --host localhost --all", 3, "no terminal to confirm the removal of everything");
        wrong("runs --csv --json", 2, "see `trainyard runs --help`");
        wrong("runs --search loss<low", 2, "loss<2.5");
        wrong("relaunch nobody", 2, "`trainyard runs` lists the runs");
        wrong("diff RUN", 2, "see `trainyard diff --help`");
        wrong("diff RUN nobody", 2, "`trainyard runs` lists the runs");
        wrong("resume RUN --layout nowhere.json", 2, "cannot open nowhere.json");
        wrong("report RUN", 2, "--out or --all is required");
        wrong("report RUN --out run.docx", 2, "end the name with .html, .pdf, .csv or .json");
        wrong("report RUN --out /nowhere/run.pdf", 2, "there is no folder /nowhere");
        wrong("report RUN --template poem --out run.pdf", 2, "comparison");
        wrong("report nobody --all report", 2, "`trainyard runs` lists the runs");
        wrong("report --template data-set /nowhere --out data.html", 2, "name the folder of a data set");
        wrong("export RUN", 2, "--tensorboard DIR, --csv FILE, --json FILE");
        wrong("export nobody --csv run.csv", 2, "`trainyard runs` lists the runs");
        wrong("export RUN --csv /nowhere/run.csv", 2, "there is no folder /nowhere — create it first");
        wrong("export RUN --csv - --json -", 2, "--csv - and --json - both print on standard output");
        wrong("import", 2,
              "a folder of TensorBoard, MLflow, W&B or Neptune, a history (.jsonl, .parquet), or a CSV file");
        wrong("import nowhere.csv", 2, "cannot open nowhere.csv");
        wrong("import nowhere.csv --hf model --out checkpoint", 2, "see `trainyard import --help`");
        wrong("import --hf model", 2, "see `trainyard import --help`");
        wrong("export --hf model", 2, "see `trainyard export --help`");
        wrong("import-spec keras FILE", 2, "deepspeed");
        wrong("eval --hf nowhere", 2, "give --data DIR or --inputs FILE");
        wrong("eval --data nowhere", 2, "name a run, a checkpoint, or a folder with config.json");
        wrong("eval nowhere --data nowhere", 2, "there is no run, checkpoint or folder nowhere");
        wrong("eval RUNa --data nowhere", 2, "did you mean RUN?");
        wrong("try RUNa text", 2, "did you mean RUN?");
        wrong("export RUNa --hf model", 2, "did you mean RUN?");
        wrong("eval nowhere --host h --data nowhere", 2, "--data nowhere is a relative path");
    }
    void everyWrongCallSaysWhatToDo()
    {
        QFETCH(QStringList, call);
        QFETCH(QString, message);
        call.replaceInStrings("RUN", m_run);
        message.replace("RUN", m_run);
        const CliResult result = m_cli->run(call);
        QTEST(result.status, "status");
        QVERIFY2(result.err.contains(message), qPrintable(result.err));
        QVERIFY2(result.err.startsWith("trainyard"), qPrintable(result.err));
        QCOMPARE(result.out, QString());
    }

    void followsAShortRunToItsLastStep()
    {
        support::SampleRun sample;
        sample.name = "short";
        sample.steps = sample.reached = 7;
        const QString run = QDir(support::writeSampleRun(m_cli->path("home/runs"), sample)).dirName();
        const CliResult mistyped = m_cli->run({"attach", run + "a", "--host", "localhost"});
        QCOMPARE(mistyped.status, 2);
        QVERIFY2(mistyped.err.contains("did you mean " + run + "?"), qPrintable(mistyped.err));
        const CliResult followed = m_cli->run({"attach", run, "--host", "localhost"});
        QVERIFY2(followed.status == 0, qPrintable(followed.err));
        QCOMPARE(followed.err.count("step 7/7"), 1);
    }

    void saysOnceWhyARunFailed()
    {
        support::SampleRun sample;
        sample.name = "failing";
        sample.steps = 7;
        sample.reached = 4;
        sample.state = RunState::Failed;
        sample.reason = "rank 1 on localhost ended with status 5: /data/wiki: no space left";
        const QString run = QDir(support::writeSampleRun(m_cli->path("home/runs"), sample)).dirName();
        const CliResult followed = m_cli->run({"attach", run, "--host", "localhost"});
        QCOMPARE(followed.status, 5);
        QCOMPARE(followed.err.count("no space left"), 1);
        QVERIFY2(followed.err.contains(run + " failed: rank 1 on localhost ended"), qPrintable(followed.err));
    }

    void shortensWhatSomebodyWrote()
    {
        RunSpec spec;
        spec.name = std::string(50 << 20, 'x');
        const CliResult result = m_cli->run({"plan", m_cli->writeSpec("spec.json", spec)});
        QCOMPARE(result.status, 2);
        QVERIFY2(result.err.contains("xxx\" cannot name a run"), qPrintable(result.err.left(3000)));
        QVERIFY(result.err.size() < 3000);
    }

    void saysInItsOwnWordsWhereAFileIsDamaged_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QStringList>("call");
        QTest::addRow("verify") << "manifest.json" << QStringList{"verify", "FOLDER"};
        QTest::addRow("report") << "manifest.json" << QStringList{"report", "--template", "data-set",
                                                                  "FOLDER", "--out",      "data.html"};
        QTest::addRow("import") << "model.safetensors.index.json"
                                << QStringList{"import", "--hf", "FOLDER", "--out", "FOLDER/checkpoint"};
        QTest::addRow("plan") << "spec.json" << QStringList{"plan", "FOLDER/spec.json"};
    }
    void saysInItsOwnWordsWhereAFileIsDamaged()
    {
        QFETCH(QString, file);
        QFETCH(QStringList, call);
        call.replaceInStrings("FOLDER", m_cli->path("damaged"));
        QVERIFY(QDir().mkpath(m_cli->path("damaged")));
        m_cli->write("damaged/" + file, "{\n  \"version\" 1}");
        const CliResult result = m_cli->run(call);
        QVERIFY2(result.status == 2 || result.status == 5, qPrintable(result.err));
        QVERIFY2(result.err.contains(file + ": "), qPrintable(result.err));
        QVERIFY2(result.err.contains("not valid JSON at line 2, column 13"), qPrintable(result.err));
        QVERIFY2(!result.err.contains("exception"), qPrintable(result.err));
    }

    void tagsNotesAndArchive()
    {
        QCOMPARE(run({"runs", "tag", m_run, "paper", "baseline"}).trimmed(), QString("paper, baseline"));
        QCOMPARE(run({"runs", "tag", m_run, "baseline", "--remove"}).trimmed(), QString("paper"));
        run({"runs", "note", m_run, "the warm-up was too short"});
        const QJsonValue kept = json({"runs", "--recorded", "--json", "--search", "tag:paper"})[0];
        QCOMPARE(kept["run"].toString(), m_run);
        QCOMPARE(kept["notes"].toString(), QString("the warm-up was too short"));
        run({"runs", "archive", m_run});
        QCOMPARE(json({"runs", "--recorded", "--json"}).array().size(), 1);
        QCOMPARE(json({"runs", "--recorded", "--json", "--search", "is:archived"})[0]["run"].toString(),
                 m_run);
        run({"runs", "archive", m_run, "--undo"});
        QCOMPARE(json({"runs", "--recorded", "--json"}).array().size(), 2);
    }

    void lastMetricsAsATable()
    {
        run({"runs", "note", m_run, "short, but good"});
        const QStringList lines = run({"runs", "--recorded", "--csv"}).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        const QStringList names = lines[0].split(',');
        const QString row = lines[1].startsWith(m_run) ? lines[1] : lines[2];
        QVERIFY2(row.endsWith(",\"short, but good\""), qPrintable(row));
        const QStringList fields = row.split(',');
        const QJsonArray runs = json({"runs", "--recorded", "--json"}).array();
        const auto same = std::find_if(runs.begin(), runs.end(),
                                       [this](const QJsonValue& one) { return one["run"] == m_run; });
        QCOMPARE(fields[names.indexOf("loss")].toDouble(), same->toObject()["loss"].toDouble());
        QCOMPARE(fields[names.indexOf("step")], QString("400"));
        QCOMPARE(fields[names.indexOf("ranks")], QString("2"));
        QCOMPARE(fields[names.indexOf("state")], QString("finished"));
    }

    void deletesHereAndOnItsHosts()
    {
        run({"runs", "delete", m_run, "--confirm", "bert-tiny"});
        QVERIFY(!QDir(m_cli->path("desk/runs/" + m_run)).exists());
        // The host, this machine, has nothing of it any more, which is as good as removed.
        run({"runs", "delete", m_other, "--confirm", "bert-fast", "--hosts"});
        QCOMPARE(json({"runs", "--json"}).array().size(), 0);
    }

    void cleaningAHostNamesWhatIsTheUsers()
    {
        const QByteArray home = qgetenv("HOME");
        qputenv("HOME", m_cli->path("user").toUtf8()); // whatever this machine's user has there
        for (const char* folder : {"home/data/wiki-0123456789ab", "home/runs/r1/attempts/1", "home/marks"})
            QVERIFY(QDir().mkpath(m_cli->path(folder)));
        m_cli->write("home/data/wiki-0123456789ab/manifest.json", "{}");
        const CliResult kept = m_cli->run({"clean", "--host", "localhost", "--all", "--yes"});
        const CliResult listed = m_cli->run({"clean", "--host", "localhost", "--all", "--dry-run", "--json"});
        QVERIFY(QDir(m_cli->path("home/data")).removeRecursively());
        QVERIFY(QDir(m_cli->path("home/runs")).removeRecursively());
        const CliResult clean = m_cli->run({"clean", "--host", "localhost", "--all", "--yes"});
        qputenv("HOME", home);
        QVERIFY2(kept.status == 0, qPrintable(kept.err));
        for (const char* command : {"`trainyard data remove wiki-0123456789ab --host localhost`",
                                    "`trainyard runs delete r1 --hosts`"})
            QVERIFY2(kept.out.contains(command), qPrintable(kept.out));
        QVERIFY2(!kept.out.contains("nothing of Trainyard is left"), qPrintable(kept.out));
        const QJsonArray remains =
            QJsonDocument::fromJson(listed.out.toUtf8())["localhost"]["remains"].toArray();
        QVERIFY(remains.contains(QJsonObject{{"kind", "run"}, {"name", "r1"}}));
        QVERIFY(!QFileInfo::exists(m_cli->path("home")));
        QVERIFY2(clean.out.contains("nothing of Trainyard is left on localhost") ||
                     clean.out.contains("/var/tmp/trainyard-"), // of another use of this machine
                 qPrintable(clean.out));
    }

    void givesTheSpecificationBack()
    {
        const ParsedSpec printed = parseSpec(run({"runs", "spec", m_run}).toStdString());
        QVERIFY(printed.diagnostics.empty());
        run({"runs", "spec", m_run, "--out", m_cli->path("again.json")});
        const ParsedSpec written = parseSpec(contentOf(m_cli->path("again.json")).toStdString());
        QVERIFY(written.spec == printed.spec);
    }

    void tellsInWhatSpecificationsDiffer()
    {
        const QJsonDocument different = json({"diff", m_run, m_other, "--json"});
        QCOMPARE(different["runs"].toArray().size(), 2);
        QStringList fields;
        for (const QJsonValue& field : different["differences"].toArray())
            fields << field["field"].toString();
        QVERIFY2(fields.contains("optimizer.learning_rate"), qPrintable(fields.join(' ')));
        QVERIFY(run({"diff", m_run, m_run}).contains("The specifications are equal."));
    }

    void explainsTopicsTermsAndCommands()
    {
        QVERIFY(run({"help"}).contains("layouts"));
        QVERIFY(run({"help", "data", "parallel"}).startsWith("# Data parallel"));
        QVERIFY(run({"help", "launch"}).contains("--follow"));
        const CliResult unknown = m_cli->run({"help", "layotus"});
        QCOMPARE(unknown.status, 2);
        QVERIFY2(unknown.err.contains("trainyard help layouts"), qPrintable(unknown.err));
    }

    void exportsARun()
    {
        const QString csv = m_cli->path("run.csv"), document = m_cli->path("run.json");
        QCOMPARE(run({"export", m_run, "--csv", csv, "--json", document}), csv + '\n' + document + '\n');
        QVERIFY(contentOf(csv).startsWith("step,wall_time,"));
        QCOMPARE(contentOf(csv).count('\n'), 401);
        QCOMPARE(QJsonDocument::fromJson(contentOf(document))["run"].toString(), m_run);
        run({"export", m_run, "--tensorboard", m_cli->path("logs")});
        QCOMPARE(QDir(m_cli->path("logs/" + m_run)).entryList({"events.out.tfevents.*"}).size(), 1);
    }

    void printsAnExportAlone()
    {
        const QString csv = m_cli->path("printed.csv"), document = m_cli->path("printed.json");
        run({"export", m_run, "--csv", csv, "--json", document});
        QCOMPARE(run({"export", m_run, "--csv", "-", "--json", document}).toUtf8(), contentOf(csv));
        QCOMPARE(run({"export", m_run, "--json", "-", "--csv", csv}).toUtf8(), contentOf(document));
        const CliResult both =
            m_cli->run({"export", m_run, "--json", "-", "--tensorboard", m_cli->path("printed-logs")});
        QCOMPARE(both.out.toUtf8(), contentOf(document));
        QVERIFY2(both.err.contains("events.out.tfevents"), qPrintable(both.err));
        QCOMPARE(run({"runs", "spec", m_run, "--out", "-"}), run({"runs", "spec", m_run}));
        QVERIFY(!QFile::exists("-"));
    }

    void importsWhatWasExported()
    {
        run({"export", m_run, "--csv", m_cli->path("run.csv")});
        const CliResult listed = m_cli->run({"import", m_cli->path("run.csv"), "--list"});
        QVERIFY2(listed.status == 0 && listed.out.contains("loss"), qPrintable(listed.err));
        QVERIFY(!contentOf(m_cli->path("desk/history.db")).contains("imported-"));
        const QJsonDocument imported =
            json({"import", m_cli->path("run.csv"), "--name", "elsewhere", "--tag", "old", "--json"});
        QCOMPARE(imported[0]["name"].toString(), QString("elsewhere"));
        const QJsonValue kept = json({"runs", "--recorded", "--json", "--search", "is:imported"})[0];
        QCOMPARE(kept["name"].toString(), QString("elsewhere"));
        QCOMPARE(kept["tags"].toArray(), QJsonArray{"old"});
        const CliResult spec = m_cli->run({"runs", "spec", kept["run"].toString()});
        QCOMPARE(spec.status, 2);
        QVERIFY2(spec.err.contains("it was imported"), qPrintable(spec.err));
    }

    void reportsInEveryFormat()
    {
        const QString base = m_cli->path("report");
        const QString printed = run({"report", m_run, m_other, "--template", "comparison", "--all", base});
        for (const char* ending : {".html", ".pdf", ".csv", ".json"}) {
            QVERIFY2(printed.contains(base + ending + '\n'), qPrintable(printed));
            QVERIFY2(!contentOf(base + ending).isEmpty(), ending);
        }
        QVERIFY(!QJsonDocument::fromJson(contentOf(base + ".json")).isNull());
        for (const QString& name : {QString("bert-tiny"), QString("bert-fast")})
            QVERIFY(contentOf(base + ".html").contains(name.toUtf8()));
    }

    void takesAHostOffTheList()
    {
        QVERIFY(QDir().mkpath(m_cli->path("desk")));
        m_cli->write("desk/hosts.json", R"({"version": 1, "hosts": ["gpu-01", "gpu-02"]})");
        QCOMPARE(json({"hosts", "list", "--json"}).array(), (QJsonArray{"localhost", "gpu-01", "gpu-02"}));
        const CliResult slip = m_cli->run({"hosts", "remove", "gpu01"});
        QCOMPARE(slip.status, 2);
        QVERIFY2(slip.err.contains("did you mean gpu-01?"), qPrintable(slip.err));
        run({"hosts", "remove", "gpu-01"});
        QCOMPARE(json({"hosts", "list", "--json"}).array(), (QJsonArray{"localhost", "gpu-02"}));
    }

private:
    QString write(const support::SampleRun& sample) const
    {
        return QDir(support::writeSampleRun(m_cli->path("desk/runs"), sample)).dirName();
    }

    /// What a call that has to succeed printed.
    QString run(const QStringList& call) const
    {
        const CliResult result = m_cli->run(call);
        if (result.status != 0)
            qWarning("%d: %s", result.status, qPrintable(result.err));
        return result.status == 0 ? result.out : QString("status %1").arg(result.status);
    }
    QJsonDocument json(const QStringList& call) const { return QJsonDocument::fromJson(run(call).toUtf8()); }

    std::unique_ptr<CliFixture> m_cli;
    QString m_run;
    QString m_other;
};

QTEST_GUILESS_MAIN(TestCommands)
#include "tst_commands.moc"
