#include "remote/launch/weights_upload.h"

#include <QPromise>
#include <QThreadPool>

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "remote/wire/agent_folder.h"
#include "remote/wire/protocol.h"

namespace trainyard {

namespace fs = std::filesystem;

Result<std::unique_ptr<WeightSource>> openWeightsHere(const InitSpec& init)
{
    const fs::path runs = agentFolder() / "runs"; // of what was launched on localhost
    std::error_code ignored;
    if (!init.isOn() || !fs::exists(runs / init.path, ignored)) // an absolute path replaces what is before it
        return std::unique_ptr<WeightSource>();
    TRAINYARD_TRY(const fs::path folder, findInitialWeights(init, runs));
    auto source = openWeights(folder);
    if (!source.ok())
        return source.error().in("init.path");
    return source;
}

Status canBeSent(const std::vector<fs::path>& files)
{
    for (const fs::path& file : files) {
        if (file.parent_path() != files.front().parent_path())
            return refused(
                fmt::format("init.path: {} and its base {} are in two folders of this computer, and "
                            "only one can be sent",
                            files.front().parent_path().string(), file.parent_path().string()),
                "copy both to the host, side by side, or merge the adapters into the base");
    }
    return {};
}

WeightsUpload::WeightsUpload(Target& target, QString runId, std::vector<fs::path> files)
    : RunFolderWriter(std::move(runId), nullptr), m_target(&target), m_paths(std::move(files))
{
    connect(&m_hashing, &QFutureWatcherBase::finished, this, [this] { onHashed(m_hashing.result()); });
}

WeightsUpload::~WeightsUpload() = default;

void WeightsUpload::start()
{
    auto promise = std::make_shared<QPromise<Hashed>>();
    promise->start();
    m_hashing.setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, paths = m_paths] {
        promise->addResult(hash(paths));
        promise->finish();
    });
}

WeightsUpload::Hashed WeightsUpload::hash(const std::vector<fs::path>& files)
{
    Hashed hashed;
    for (const fs::path& file : files) {
        std::error_code error;
        const auto bytes = fs::file_size(file, error);
        const auto sha256 = sha256OfFile(file);
        if (error || !sha256.ok()) {
            hashed.status = sha256.ok() ? failed(file.string() + ": " + error.message()) : sha256.error();
            break;
        }
        const QString name = QString::fromStdString(file.filename().string());
        hashed.files.append({QString(kSentWeightsFolder) + '/' + name, QString::fromStdString(*sha256),
                             static_cast<qint64>(bytes)});
    }
    return hashed;
}

void WeightsUpload::onHashed(const Hashed& hashed)
{
    if (!hashed.status.ok())
        return finish(hashed.status);
    write(hashed.files);
}

void WeightsUpload::send(const File& file, qint64 offset)
{
    const fs::path source = m_paths.front().parent_path() / fs::path(file.path.toStdString()).filename();
    m_entry = {};
    m_entry.path = source.string();
    m_entry.sha256 = file.sha256.toStdString();
    m_entry.size = static_cast<std::uint64_t>(file.bytes);
    m_entry.source = source;
    m_received = offset;
    m_upload = std::make_unique<BlobUpload>(goal(), m_entry, static_cast<std::uint64_t>(offset));
    connect(m_upload.get(), &BlobUpload::acknowledged, this, [this](qint64 bytes) {
        onAcknowledged(m_received += bytes);
        fillWindow();
    });
    connect(m_upload.get(), &BlobUpload::finished, this, [this, file](const Status& result) {
        m_upload.release()->deleteLater(); // we are in its signal
        onSent(file, result);
    });
    m_upload->start();
    fillWindow();
}

void WeightsUpload::fillWindow()
{
    if (m_upload)
        m_upload->send(kUploadWindow - m_upload->underWay());
}

} // namespace trainyard
