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
    Ask,    ///< RunOperation::dataOffered, and waits for answerOffer()
    Send
};

/// Data sets that hosts of a run lack, for the question to the user. A plain value.
struct DataOffer {
    QStringList hosts;                               ///< that lack some
    QStringList names;                               ///< of the folders
    qint64 bytes = 0;                                ///< of the data sets, each once
    std::optional<std::chrono::milliseconds> time{}; ///< nullopt = unknown

    /// "3.20 GiB", and "3.20 GiB (about 4 min)" where the time is known.
    QString sizeText() const;
    /// "Send 3.20 GiB to gpu-03 (about 4 min)".
    QString text() const;
};

} // namespace trainyard

Q_DECLARE_METATYPE(trainyard::DataOffer)
