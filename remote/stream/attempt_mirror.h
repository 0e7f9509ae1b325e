#pragma once

#include <cstdint>
#include <filesystem>

#include <QObject>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

class Target;

/// The desk's copy of what the newest attempt of a run was asked to do: `attempts/NNNN.json` of the run's
/// directory, byte for byte, beside the mirrored streams. The first attempt does what the specification says;
/// its request is not fetched. GUI thread.
class AttemptMirror : public QObject {
    Q_OBJECT

public:
    /// The target outlives it. `folder` gets `attempts`.
    AttemptMirror(QString runId, Target& head, std::filesystem::path folder, QObject* parent = nullptr);

    /// That attempt has begun; it may begin again, on other hosts.
    void attemptBegan(std::uint32_t attempt);
    /// The head can be asked now.
    void fetch();
    /// The newest request is on its way.
    bool isFetching() const { return m_isFetching; }

signals:
    /// `attempts/NNNN.json` of this attempt is here.
    void arrived(std::uint32_t attempt);
    /// It cannot be read or kept; it is not asked for again until an attempt begins.
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
