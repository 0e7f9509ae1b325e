#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <QFutureWatcher>
#include <QPointer>

#include "engine/checkpoint/weights/weight_source.h"
#include "engine/spec/run_spec.h"
#include "remote/deploy/blob_upload.h"
#include "remote/launch/run_folder_writer.h"

namespace trainyard {

/// The weights that section init names, if this computer has a folder of that name or, in its agent's folder,
/// the run; else null. Reads no values. Errors of findInitialWeights() and openWeights(), with the field.
Result<std::unique_ptr<WeightSource>> openWeightsHere(const InitSpec& init);

/// Refused for files of several folders, as of adapters and their base: a run has one folder of sent weights.
Status canBeSent(const std::vector<std::filesystem::path>& files);

/// Sends stored weights of this computer to a host, into the directory of a run that will begin with them
/// (kSentWeightsFolder). The files are hashed in another thread first.
class WeightsUpload : public RunFolderWriter {
    Q_OBJECT

public:
    /// `files`: WeightSource::files(). The run must exist on the host.
    WeightsUpload(Target& target, QString runId, std::vector<std::filesystem::path> files);
    ~WeightsUpload() override;

    void start();

private:
    struct Hashed {
        QList<File> files;
        Status status;
    };
    static Hashed hash(const std::vector<std::filesystem::path>& files);

    Target& goal() const override { return *m_target; }
    void startAgain() override { start(); }
    void send(const File& file, qint64 offset) override;
    void onHashed(const Hashed& hashed);
    void fillWindow();

    QPointer<Target> m_target;
    std::vector<std::filesystem::path> m_paths;
    QFutureWatcher<Hashed> m_hashing;
    BundleEntry m_entry; ///< of the upload
    std::unique_ptr<BlobUpload> m_upload;
    qint64 m_received = 0; ///< by the host, of that file
};

} // namespace trainyard
