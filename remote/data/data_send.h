#pragma once

#include <memory>
#include <vector>

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"
#include "remote/data/data_adoption.h"
#include "remote/data/data_content.h"
#include "remote/data/data_route.h"
#include "remote/deploy/deployer.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Sends a data set to hosts, into the folder `data/<name>-<12 digits of its id>` of each agent. Each host
/// gets what it lacks: from this computer once, then from host to host, or through this computer where hosts
/// do not reach each other. From another host only over that host's ssh. The folder appears whole and
/// verified, or not at all; a later attempt resumes. GUI thread; destroying it stops the transfer.
class DataSend : public QObject {
    Q_OBJECT

public:
    DataSend(DataPlace from, const QStringList& to, TargetPool& targets, QObject* parent = nullptr);
    /// These hosts have the data set in a folder outside the agent's: it is copied there, not sent.
    void setPresent(const QHash<QString, QString>& folders) { m_present = folders; }
    ~DataSend() override;

    void start();
    /// finished() follows with Cancelled.
    void cancel();

    /// The folder of the host at `index`; known once it is connected.
    QString folderOn(int index) const;
    const DataSetContent& content() const { return m_content; }

signals:
    /// Text with size, rate and time left; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    void noticed(const QString& text);
    /// Once, later.
    void finished(const trainyard::Status& result);

private:
    QString what() const;
    void onContent(const Result<DataSetContent>& content);
    void adopt();
    void showAdoption();
    void onAdopted(const Status& result);
    void findWays();
    Status checkReceivers() const;
    void onRoute(Route route);
    void feedFromSource(Route& route);
    void tellWhoIsNotReached(const Route& route);
    Parcel parcel() const;
    void finish(const Status& result);

    DataPlace m_from;
    HostGroup m_hosts;
    TargetPool& m_targets;
    QHash<QString, QString> m_present; ///< folder by host
    struct Adoption {
        std::unique_ptr<DataAdoption> work;
        qint64 done = 0, total = 0; ///< bytes
    };
    std::vector<Adoption> m_adoptions; ///< of the hosts in m_present, at the same time
    int m_adopting = 0;                ///< that have not finished
    DataSetContent m_content;
    std::unique_ptr<Deployer> m_deployer;
    bool m_ended = false;
};

} // namespace trainyard
