#include "app/trial/model/trial.h"

#include "app/base/display_text.h"
#include "app/hosts/model/model_job.h"
#include "engine/generation/options/try_command_line.h"

namespace trainyard {

Trial::Trial(RunService& runs, QObject* parent) : QObject(parent), m_runs(runs) {}

Trial::~Trial() = default;

void Trial::start(const TrialModel& model, const TrialText& text, const TryOptions& settings)
{
    TRAINYARD_CHECK(!m_status.isBusy());
    m_status = {.state = TrialStatus::State::Starting,
                .model = model.name,
                .text = text,
                .activity = tr("starting on %1").arg(oneLine(model.host))};
    m_clock.invalidate();
    m_broken.reset();
    m_job = std::make_unique<ModelJob>(m_runs, model.host, QStringLiteral("try"),
                                       tryArguments(optionsFor(model, text, settings)));
    connect(m_job.get(), &ModelJob::progress, this, [this](const QString& activity, double) {
        m_status.activity = activity;
        emit changed();
    });
    connect(m_job.get(), &ModelJob::noticed, this, [this](const QString& text) {
        m_status.remark = oneLine(text);
        emit changed();
    });
    connect(m_job.get(), &ModelJob::answered, this, &Trial::onAnswered);
    connect(m_job.get(), &ModelJob::finished, this, &Trial::onFinished);
    emit changed();
    m_job->start();
}

void Trial::cancel()
{
    if (!m_status.isBusy())
        return;
    m_status.activity = tr("cancelling");
    emit changed();
    m_job->cancel();
}

void Trial::onAnswered(const QString& piece)
{
    if (!m_clock.isValid())
        m_clock.start();
    const Status taken = m_status.answer.take(piece);
    m_status.state = TrialStatus::State::Working;
    m_status.seconds = double(m_clock.elapsed()) / 1000;
    if (!taken.ok()) {
        m_broken = taken.error();
        m_job->cancel();
    }
    emit changed();
}

void Trial::onFinished(const Status& status)
{
    m_job.release()->deleteLater(); // we are in its signal
    if (m_broken)
        m_status.error = m_broken;
    else if (!status.ok() && status.error().kind != ErrorKind::Cancelled)
        m_status.error = status.error();
    m_status.state = m_status.error ? TrialStatus::State::Failed
                     : status.ok()  ? TrialStatus::State::Done
                                    : TrialStatus::State::Cancelled;
    emit changed();
}

} // namespace trainyard
