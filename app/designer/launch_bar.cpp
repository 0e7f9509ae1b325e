#include "app/designer/launch_bar.h"

#include "app/base/display_text.h"

namespace trainyard {

namespace {

QString whatIsMissing(const DataOffer& offer)
{
    if (offer.hosts.isEmpty())
        return LaunchBar::tr("The hosts have %1 in different folders.")
            .arg(offer.names.join(QStringLiteral(", ")));
    const QString hosts = offer.hosts.join(QStringLiteral(", "));
    const QString names = offer.names.join(QStringLiteral(", "));
    const QString sets =
        offer.names.size() == 1 ? LaunchBar::tr("the data set %1") : LaunchBar::tr("the data sets %1");
    return (offer.hosts.size() == 1 ? LaunchBar::tr("%1 lacks %2.") : LaunchBar::tr("%1 lack %2."))
        .arg(hosts, sets.arg(names));
}

} // namespace

void LaunchBar::follow(RunOperation& launch, const QString& name)
{
    m_launch = &launch;
    m_name = name;
    m_isAsking = false;
    connect(&launch, &RunOperation::progress, this, &LaunchBar::showProgressOf);
    connect(&launch, &RunOperation::dataOffered, this, &LaunchBar::ask);
    connect(&launch, &RunOperation::finished, this, &MessageBar::clear);
    showProgressOf({}, -1);
    addCancel();
}

void LaunchBar::showProgressOf(const QString& text, double fraction)
{
    if (!m_isAsking)
        showProgress(tr("Launching %1").arg(m_name), fraction, text);
}

/// The launch waits for the answer.
void LaunchBar::ask(const DataOffer& offer)
{
    m_isAsking = true;
    showMessage(Tone::Warning, whatIsMissing(offer),
                tr("%1? It is kept on the hosts (see Data).").arg(asSentence(offer.text())));
    setClosable(false);
    addAction(
        offer.hosts.isEmpty() ? tr("Copy") : tr("Send"), [this] { accept(); }, true);
    addCancel();
}

void LaunchBar::accept()
{
    m_isAsking = false;
    showProgressOf({}, -1);
    addCancel();
    if (m_launch)
        m_launch->acceptOffer();
}

void LaunchBar::addCancel()
{
    addAction(tr("Cancel"), [this] {
        if (m_launch)
            m_launch->cancel();
    });
}

} // namespace trainyard
