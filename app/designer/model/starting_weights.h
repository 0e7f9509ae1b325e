#pragma once

#include <QObject>
#include <QStringList>

#include "app/base/pool_work.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a run takes from the weights of section init, draws at random and leaves out, as `trainyard plan`
/// says it. Looks at the folder in another thread. GUI thread.
class StartingWeights : public QObject {
    Q_OBJECT
public:
    explicit StartingWeights(QObject* parent = nullptr);

    /// Requires a specification without phases. Looks again only if the answer may be another one.
    void setSpec(const RunSpec& spec);
    /// Looks at the folder again.
    void refresh();

    /// One sentence each: "Begins with ...", "Loaded: ..."; empty without section init, and while the first
    /// answer is due.
    const QStringList& facts() const { return m_answer.facts; }
    /// What keeps the run from beginning with the weights.
    const Diagnostics& problems() const { return m_answer.problems; }

signals:
    void changed();

private:
    struct Answer {
        QStringList facts{};
        Diagnostics problems{};

        bool operator==(const Answer&) const = default;
    };
    static Answer look(const RunSpec& spec);
    void onAnswered(const Answer& answer);

    RunSpec m_spec; ///< whose weights were looked at last
    Answer m_answer;
    LatestJob<Answer> m_job;
};

} // namespace trainyard
