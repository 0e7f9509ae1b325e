#include "app/exchange/run_list_csv.h"

#include <cmath>

#include <QDateTime>
#include <QStringList>

#include "app/base/csv_text.h"
#include "app/base/display_text.h"

namespace trainyard {

namespace {

QString timeText(qint64 milliseconds)
{
    return milliseconds > 0 ? QDateTime::fromMSecsSinceEpoch(milliseconds, Qt::UTC).toString(Qt::ISODate)
                            : QString();
}

QString figure(double value)
{
    return std::isnan(value) ? QString() : csvNumber(value);
}

QStringList rowOf(const RunEntry& run)
{
    return {run.id,
            run.name,
            toQString(nameOf(run.state)),
            run.reason,
            QString::number(run.step),
            QString::number(run.steps),
            figure(run.loss),
            figure(run.bestHeldOutLoss),
            figure(run.sequencesPerSecond),
            QString::number(run.worldSize),
            QString::number(run.attempt),
            timeText(run.createdMs),
            timeText(run.updatedMs),
            run.hosts.join(QLatin1Char(' ')),
            run.tags.join(QLatin1Char(' ')),
            run.notes};
}

} // namespace

QString runListCsv(const QList<RunEntry>& runs)
{
    QString text = QStringLiteral("run,name,state,reason,step,steps,loss,best_held_out_loss,"
                                  "sequences_per_second,ranks,attempt,began,updated,hosts,tags,notes\n");
    for (const RunEntry& run : runs) {
        QStringList fields = rowOf(run);
        for (QString& field : fields)
            field = csvField(field);
        text += fields.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

} // namespace trainyard
