#pragma once

#include <cstdint>
#include <filesystem>

#include <QObject>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

class Target;

/// The local copy of the newest attempt's request: `attempts/NNNN.json` of the run's directory, byte for
/// byte, next to the mirrored streams. The first attempt follows the specification; its request is not
/// fetched. GUI thread.
class AttemptMirror : public QObject {
    Q_OBJECT

public:
    /// The target outlives it. `folder` gets `attempts`.
    AttemptMirror(QString runId, Target& head, std::filesystem::path folder, QObject* parent = nullptr);

    /// The attempt has begun; it may begin again, on other hosts.
    void attemptBegan(std::uint32_t attempt);
    /// The head can be asked now.
    void fetch();
    /// The newest request is on its way.
    bool isFetching() const { return m_isFetching; }

signals:
    /// `attempts/NNNN.json` of this attempt has arrived.
    void arrived(std::uint32_t attempt);
    /// It cannot be read or stored; not retried until another attempt begins.
    void problem(const trainyard::Error& error);

private:
    void take(std::uint32_t attempt, const Result<QByteArray>& request);
    Status keep(std::uint32_t attempt, const QByteArray& request) const;

    QString m_runId;
    Target& m_head;
    std::filesystem::path m_folder;
    std::uint32_t m_wanted = 0; ///< attempt whose request is not here yet; 0 = none
    bool m_isFetching = false;
};

} // namespace trainyard
