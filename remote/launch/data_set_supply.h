#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QHash>
#include <QObject>
#include <QStringList>

#include "engine/spec/run_spec.h"
#include "remote/data/data_send.h"
#include "remote/data/data_set_list.h"
#include "remote/launch/data_offer.h"
#include "remote/launch/run_data_sets.h"

namespace trainyard {

/// The data sets of a run, as all its hosts have them.
struct SuppliedDataSets {
    RunSpec spec; ///< names the folders on the hosts
    RunDataSets dataSets;
    bool moved = false; ///< other folders than the user's specification
};

/// Sees to it that every host of a run has the data sets that its specification names: reads their manifests
/// on all hosts, compares them, and sends what some lack, from this computer or from a host that has it. A
/// data set that was sent lies below the agents' folders, and the specification names that folder then.
/// GUI thread; destroying it stops a transfer.
class DataSetSupply : public QObject {
    Q_OBJECT

public:
    struct Plan {
        RunSpec spec;
        QStringList hosts; ///< that have ranks
        SendData sendData = SendData::Refuse;
        double uploadBytesPerSecond = 0; ///< from this computer; 0 = unknown
        bool mayMove = true;             ///< false: the specification is fixed, what a host lacks is an error
    };
    DataSetSupply(Plan plan, TargetPool& targets);
    ~DataSetSupply() override;

    void start();
    /// Answers offered().
    void acceptOffer();

signals:
    void progress(const QString& text, double fraction);
    void noticed(const QString& text);
    /// Only with SendData::Ask.
    void offered(const trainyard::DataOffer& offer);
    /// Once. Errors name the phase or the field, and the hosts.
    void finished(const trainyard::Result<trainyard::SuppliedDataSets>& result);

private:
    /// A folder that the specification names.
    struct Folder {
        std::string path;
        std::vector<Result<QByteArray>> manifests; ///< by host
        int left = 0;                              ///< answers that are still to come
    };
    struct Missing {
        std::string path;
        DataPlace from;
        QStringList lacking;             ///< hosts that do not have it at the path
        QHash<QString, QString> present; ///< the others, with the path
        DataSetContent content = {};
    };
    void readNext();
    void onManifest(std::size_t host, const Result<QByteArray>& manifest);
    void onRead(const Folder& folder);
    void findSource(const Folder& folder, Missing missing);
    Error absence(const Folder& folder, const Missing& missing) const;
    void onContent(const Missing& missing, const Result<DataSetContent>& content);
    void askWhatWasSent();
    void onSentBefore(const QString& host, const Result<QList<HostDataSet>>& sets);
    void decide();
    DataOffer offer() const;
    bool wasSent(const Missing& missing, const QString& host) const;
    QStringList receiversOf(const Missing& missing) const;
    QStringList copiersOf(const Missing& missing) const;
    Status checkRoots() const;
    Error refusal() const;
    QString commandFor(const Missing& missing) const;
    void sendNext();
    void onSent(const Missing& missing, const Status& sent);
    void conclude();
    Error inFolder(const std::string& path, const Error& error) const;
    void finish(const Result<SuppliedDataSets>& result);

    Plan m_plan;
    TargetPool& m_targets;
    HostGroup m_group;
    std::vector<std::string> m_paths;          ///< to be read
    Folder m_folder;                           ///< that is being read
    std::map<std::string, QByteArray> m_found; ///< manifests that all hosts have, by path
    std::vector<Missing> m_missing;
    std::map<QString, QStringList> m_sentBefore; ///< ids by host
    int m_asked = 0;                             ///< answers that are still to come
    std::unique_ptr<DataSend> m_send;
    bool m_moved = false;
    bool m_ended = false;
};

/// Refused, with the hosts, when they have different manifests; those that have none are left out. `path`:
/// of the data set, for the message.
Status compareManifests(const std::string& path, const QStringList& hosts,
                        const std::vector<Result<QByteArray>>& manifests);

/// Puts `to` where the specification names the data set `from`.
void renameDataSet(RunSpec& spec, const std::string& from, const std::string& to);

} // namespace trainyard
