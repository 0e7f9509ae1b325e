#include "remote/launch/run_checkpoints.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <QJsonArray>

namespace trainyard {

namespace {

RunCheckpoint checkpointOf(const QJsonObject& json)
{
    RunCheckpoint checkpoint;
    checkpoint.step = json.value("step").toInteger();
    checkpoint.folder = json.value("folder").toString();
    checkpoint.state = json.value("state").toString();
    checkpoint.reason = json.value("reason").toString();
    checkpoint.bytes = json.value("bytes").toInteger();
    checkpoint.verified = json.value("verified").toBool();
    checkpoint.latest = json.value("latest").toBool();
    checkpoint.best = json.value("best").toBool();
    checkpoint.next = json.value("next").toBool();
    return checkpoint;
}

QList<QJsonObject> listedBy(const HostCheckpoints& answer)
{
    QList<QJsonObject> all;
    for (const auto& entry : answer.reply.value("checkpoints").toArray())
        all << entry.toObject();
    return all;
}

/// Which checkpoint an entry is; empty: its folder has all of it, or its manifest cannot be read.
QString manifestOf(const QJsonObject& entry)
{
    return entry.value("parts").toObject().value("manifest").toString();
}

/// Neither set aside nor of a line that was left: "step-000000400".
bool isPresent(const RunCheckpoint& checkpoint)
{
    return !checkpoint.folder.contains('.');
}

/// What hosts have of one checkpoint.
class Shards {
public:
    Shards(const QList<HostCheckpoints>& answers, const QString& manifest)
    {
        for (const HostCheckpoints& answer : answers) {
            for (const QJsonObject& entry : listedBy(answer)) {
                if (manifestOf(entry) == manifest)
                    add(entry);
            }
        }
    }

    qsizetype count() const { return m_here.size(); }
    qsizetype missing() const { return m_here.count('0'); }
    qint64 bytes() const { return m_bytes; }
    bool isVerified() const { return m_isVerified; }

private:
    void add(const QJsonObject& entry)
    {
        const QString here = entry.value("parts").toObject().value("here").toString();
        if (m_here.isEmpty())
            m_here = QString(here.size(), '0');
        for (qsizetype shard = 0; shard < std::min(here.size(), m_here.size()); ++shard) {
            if (here[shard] == '1')
                m_here[shard] = '1';
        }
        m_bytes += entry.value("bytes").toInteger();
        m_isVerified = m_isVerified && entry.value("verified").toBool();
    }

    QString m_here;
    qint64 m_bytes = 0;
    bool m_isVerified = true;
};

QString didNotAnswer(const QStringList& silent)
{
    return silent.isEmpty() ? QString() : silent.join(", ") + " did not answer";
}

QString joined(QStringList sentences)
{
    sentences.removeAll(QString());
    return sentences.join("; ");
}

class Together {
public:
    Together(const QList<HostCheckpoints>& answers, const QStringList& silent)
        : m_answers(answers), m_silent(silent)
    {
    }

    QList<RunCheckpoint> list()
    {
        for (const QJsonObject& entry : listedBy(m_answers.front()))
            addOfHead(entry);
        for (const HostCheckpoints& answer : m_answers.mid(1))
            addNewer(answer);
        std::ranges::stable_sort(m_all, std::greater(), &RunCheckpoint::step);
        if (m_isSpread && !m_answers.front().reply.value("going_back").toBool())
            chooseNext();
        return m_all;
    }

private:
    void addOfHead(const QJsonObject& entry)
    {
        RunCheckpoint checkpoint = checkpointOf(entry);
        if (const QString manifest = manifestOf(entry); !manifest.isEmpty())
            combine(checkpoint, manifest, {});
        else if (const auto other = wholeManifestElsewhere(checkpoint))
            repair(checkpoint, other->first, other->second);
        m_all << checkpoint;
    }

    /// A start will do so. Which shards the head has shows then.
    void repair(RunCheckpoint& checkpoint, const QString& host, const QString& manifest)
    {
        combine(checkpoint, manifest,
                QString("%1 has its manifest, which is damaged on %2").arg(host, m_answers.front().host));
        if (checkpoint.state == QLatin1String("damaged"))
            checkpoint.state = "incomplete";
    }

    /// Host and manifest of another host's checkpoint of that name.
    std::optional<std::pair<QString, QString>> wholeManifestElsewhere(const RunCheckpoint& checkpoint) const
    {
        if (checkpoint.state != QLatin1String("damaged") || checkpoint.folder.contains(".damaged"))
            return std::nullopt;
        for (const HostCheckpoints& answer : m_answers.mid(1)) {
            for (const QJsonObject& entry : listedBy(answer)) {
                if (checkpointOf(entry).folder == checkpoint.folder && !manifestOf(entry).isEmpty())
                    return std::pair(answer.host, manifestOf(entry));
            }
        }
        return std::nullopt;
    }

    /// Older ones the head has removed.
    void addNewer(const HostCheckpoints& answer)
    {
        qint64 newest = -1;
        for (const RunCheckpoint& one : m_all)
            newest = isPresent(one) ? std::max(newest, one.step) : newest;
        for (const QJsonObject& entry : listedBy(answer)) {
            RunCheckpoint checkpoint = checkpointOf(entry);
            if (manifestOf(entry).isEmpty() || !isPresent(checkpoint) || checkpoint.step <= newest)
                continue;
            checkpoint.latest = checkpoint.best = checkpoint.next = false;
            combine(checkpoint, manifestOf(entry),
                    QString("%1 does not know it yet").arg(m_answers.front().host));
            m_all << checkpoint;
        }
    }

    void combine(RunCheckpoint& checkpoint, const QString& manifest, const QString& remark)
    {
        const Shards shards(m_answers, manifest);
        m_isSpread = true;
        checkpoint.bytes = shards.bytes();
        checkpoint.verified = shards.isVerified() && shards.missing() == 0;
        const bool isLeft = checkpoint.state == QLatin1String("abandoned");
        QString what = isLeft ? checkpoint.reason : QString();
        if (shards.missing() > 0) {
            checkpoint.state = m_silent.isEmpty() ? "damaged" : "incomplete";
            what = QString("%1 of %2 shards %3 missing on all hosts %4")
                       .arg(shards.missing())
                       .arg(shards.count())
                       .arg(shards.missing() == 1 ? "is" : "are",
                            m_silent.isEmpty() ? "of the run" : "that answered");
        } else if (!isLeft && isPresent(checkpoint)) {
            checkpoint.state = "whole";
        }
        checkpoint.reason = joined({what, remark, didNotAnswer(m_silent)});
    }

    /// The newest one that is whole; what cannot be judged refuses a start.
    void chooseNext()
    {
        bool isChosen = false;
        for (RunCheckpoint& checkpoint : m_all) {
            checkpoint.next = false;
            if (isChosen || !isPresent(checkpoint) || checkpoint.state == QLatin1String("damaged"))
                continue;
            isChosen = true;
            checkpoint.next = checkpoint.state == QLatin1String("whole");
        }
    }

    const QList<HostCheckpoints>& m_answers;
    const QStringList& m_silent;
    QList<RunCheckpoint> m_all;
    bool m_isSpread = false; ///< a checkpoint is on several hosts
};

} // namespace

QList<RunCheckpoint> checkpointsTogether(const QList<HostCheckpoints>& answers, const QStringList& silent)
{
    return Together(answers, silent).list();
}

} // namespace trainyard
