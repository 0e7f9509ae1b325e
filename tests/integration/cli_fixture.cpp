#include "tests/integration/cli_fixture.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonObject>

#include "engine/spec/spec_json.h"

namespace trainyard::test {

CliFixture::CliFixture() = default;

QProcessEnvironment CliFixture::environment() const
{
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TRAINYARD_HOME", path("home"));
    environment.insert("TRAINYARD_DATA", path("desk"));
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.remove("DISPLAY");
    return environment;
}

std::unique_ptr<QProcess> CliFixture::start(const QStringList& arguments,
                                            const std::function<void()>& inChild) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment());
    if (inChild)
        process->setChildProcessModifier(inChild);
    process->start(QString(TRAINYARD_BIN_DIR) + "/trainyard", arguments);
    process->waitForStarted();
    return process;
}

CliResult CliFixture::run(const QStringList& arguments, int seconds) const
{
    return endOf(*start(arguments), seconds);
}

CliResult CliFixture::run(const QStringList& arguments, const std::function<void()>& inChild) const
{
    return endOf(*start(arguments, inChild), kPatienceSeconds);
}

CliResult CliFixture::endOf(QProcess& process, int seconds)
{
    const bool ended = process.waitForFinished(seconds * 1000);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    return {ended && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QString CliFixture::write(const QString& name, const QByteArray& content) const
{
    QFile file(path(name));
    if (file.open(QIODevice::WriteOnly))
        file.write(content);
    return file.fileName();
}

QString CliFixture::writeSpec(const QString& name, const RunSpec& spec) const
{
    return write(name, QByteArray::fromStdString(toJson(spec)));
}

bool CliFixture::makeDataset(QString* why) const
{
    if (QFileInfo::exists(dataset() + "/manifest.json"))
        return true;
    const CliResult made =
        run({"prepare", QString(TRAINYARD_SOURCE_DIR) + "/resources/samples/trainyard-sample.xml.bz2",
             "--train-vocab", "1000", "--out", dataset(), "--seq-len", "64", "--max-pred", "10", "--dupe",
             "2", "--shards", "2"});
    *why = made.err;
    return made.status == 0;
}

RunSpec tinySpec(const QString& dataset, int ranks, int steps)
{
    RunSpec spec;
    spec.name = "tiny";
    spec.model.layers = 2;
    spec.model.hidden = 32;
    spec.model.heads = 2;
    spec.model.intermediate = 64;
    spec.model.maxPositions = 64;
    spec.cluster.nodes = {{"localhost", ranks, 0}};
    spec.layout.data = ranks;
    spec.batch = {8, 8 / ranks, 1};
    spec.dataset.path = dataset.toStdString();
    spec.launch.steps = steps;
    QFile manifest(dataset + "/manifest.json");
    if (manifest.open(QIODevice::ReadOnly))
        spec.model.vocabulary =
            QJsonDocument::fromJson(manifest.readAll()).object()["vocabulary_size"].toInt();
    return spec;
}

} // namespace trainyard::test
