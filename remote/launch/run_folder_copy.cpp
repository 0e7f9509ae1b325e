#include "remote/launch/run_folder_copy.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

#include "remote/launch/file_relay.h"
#include "remote/target/read_file.h"

namespace trainyard {

RunFolderCopy::RunFolderCopy(Plan plan, TargetPool& targets, QObject* parent)
    : RunFolderWriter(plan.runId, parent), m_plan(std::move(plan)), m_hosts({m_plan.from, m_plan.to}, targets)
{
}

RunFolderCopy::~RunFolderCopy() = default;

QString RunFolderCopy::inFolder(const QString& name) const
{
    return m_plan.folder + '/' + name;
}

void RunFolderCopy::start()
{
    m_hosts.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return fail(ready.error());
        readIndex();
    });
}

void RunFolderCopy::readIndex()
{
    const QJsonObject request{{"op", "read"}, {"run", m_plan.runId}, {"file", inFolder(m_plan.index)}};
    readWhole(source(), request, this, [this, request](const Result<QByteArray>& index) {
        if (!index.ok())
            return fail(index.error());
        m_index = *index;
        readWhole(goal(), request, this, [this](const Result<QByteArray>& there) {
            compareIndex(there.ok() ? *there : QByteArray());
        });
    });
}

/// The index is placed last: who has it has everything, be it by a copy or by a disk that both see.
void RunFolderCopy::compareIndex(const QByteArray& index)
{
    if (index == m_index)
        return finish({});
    const auto files = parseIndex();
    if (!files.ok())
        return finish(files.error());
    makeRun(*files);
}

/// The index comes last.
Result<QList<RunFolderCopy::File>> RunFolderCopy::parseIndex() const
{
    QList<File> files;
    for (const auto& value : QJsonDocument::fromJson(m_index).object().value("files").toArray()) {
        const QJsonObject file = value.toObject();
        const QString name = file.value("name").toString();
        files.append({inFolder(name), file.value("sha256").toString(), file.value("bytes").toInteger(-1)});
        if (name.isEmpty() || files.last().bytes < 0)
            return failed(m_plan.from.toStdString() + ": " + m_plan.index.toStdString() +
                          " does not list the files next to it");
    }
    const QByteArray hash = QCryptographicHash::hash(m_index, QCryptographicHash::Sha256).toHex();
    files.append({inFolder(m_plan.index), QString::fromLatin1(hash), m_index.size()});
    return files;
}

void RunFolderCopy::makeRun(const QList<File>& files)
{
    const QJsonObject request{{"op", "create-run"},
                              {"run", m_plan.runId},
                              {"kind", "prepare"},
                              {"job", QString::fromUtf8(m_plan.job)},
                              {"inventory", QJsonObject{{"copied_from", m_plan.from}}},
                              {"node", 1}};
    goal().call(request, this, [this, files](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        write(files);
    });
}

void RunFolderCopy::send(const File& file, qint64 offset)
{
    const QJsonObject read{{"op", "read"}, {"run", m_plan.runId}, {"file", file.path}};
    m_relay =
        std::make_unique<FileRelay>(source(), goal(), FileRelay::File{read, file.sha256, file.bytes, offset});
    connect(m_relay.get(), &FileRelay::acknowledged, this, &RunFolderCopy::onAcknowledged);
    connect(m_relay.get(), &FileRelay::finished, this, [this, file](const Status& result) {
        m_relay.release()->deleteLater(); // we are in its signal
        onSent(file, result.ok() ? Status()
                                 : Status(result.error().in("copy " + file.path.toStdString() + " from " +
                                                            m_plan.from.toStdString() + " to " +
                                                            m_plan.to.toStdString())));
    });
    m_relay->start();
}

} // namespace trainyard
