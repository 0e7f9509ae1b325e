#pragma once

#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include "app/trial/model/trial_answer.h"
#include "app/trial/model/trial_model.h"

namespace trainyard {

class ModelJob;
class RunService;

/// How far a trial is and what it has given.
struct TrialStatus {
    enum class State { Idle, Starting, Working, Done, Failed, Cancelled };

    State state = State::Idle;
    QString model;        ///< its name
    TrialText text{};     ///< as it was given to the model
    QString activity;     ///< while Starting
    TrialAnswer answer{}; ///< so far
    QString remark{};     ///< about the answer, e.g. that the newest checkpoint is damaged
    double seconds = 0;   ///< since the first token, until the last one
    std::optional<Error> error{};

    bool isBusy() const { return state == State::Starting || state == State::Working; }
};

/// One model on one text after another. GUI thread.
class Trial : public QObject {
    Q_OBJECT

public:
    explicit Trial(RunService& runs, QObject* parent = nullptr);
    ~Trial() override;

    const TrialStatus& status() const { return m_status; }
    /// Requires that it is not busy.
    void start(const TrialModel& model, const TrialText& text, const TryOptions& settings);
    /// Keeps the answer so far. No effect unless busy.
    void cancel();

signals:
    void changed();

private:
    void onAnswered(const QString& piece);
    void onFinished(const Status& status);

    RunService& m_runs;
    TrialStatus m_status;
    QElapsedTimer m_clock; ///< since the first token
    std::unique_ptr<ModelJob> m_job;
    std::optional<Error> m_broken; ///< an answer that is none
};

} // namespace trainyard
