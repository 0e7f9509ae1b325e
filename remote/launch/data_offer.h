#pragma once

#include <chrono>
#include <optional>

#include <QMetaType>
#include <QString>
#include <QStringList>

namespace trainyard {

/// What a launch does where hosts lack a data set that this computer or another host of the run has.
enum class SendData {
    Refuse, ///< the error says what to do
    Ask,    ///< RunOperation::dataOffered, and waits for acceptOffer()
    Send
};

/// Data sets that not all hosts of a run have in one folder, for the question to the user. A plain value.
struct DataOffer {
    QStringList hosts;                               ///< that lack some
    QStringList names;                               ///< of the folders
    qint64 bytes = 0;                                ///< to be sent: of the data sets, each once
    std::optional<std::chrono::milliseconds> time{}; ///< of sending; nullopt = unknown
    QStringList copyingHosts{}; ///< that have some elsewhere than the others, and copy them on their disks
    qint64 copiedBytes = 0;     ///< by all these hosts together

    bool isEmpty() const { return hosts.isEmpty() && copyingHosts.isEmpty(); }
    /// What it takes, as part of a sentence: "send 3.20 GiB to gpu-03 (about 4 min) and copy 3.20 GiB on
    /// gpu-01".
    QString text() const;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::DataOffer)
