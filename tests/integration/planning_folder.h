#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace trainyard::test {

struct Answer {
    int status = -1;
    QByteArray out;
    QString err;
};

/// Runs `trainyard <arguments>` to its end, for commands that only plan. Status -1 after a minute.
inline Answer ask(const QStringList& arguments)
{
    QProcess process;
    process.start(QString(TRAINYARD_BIN_DIR) + "/trainyard", arguments);
    if (!process.waitForFinished(60'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(),
            QString::fromUtf8(process.readAllStandardError())};
}

/// 1.6 billion parameters on one host of eight devices. Tests change it as a text.
inline constexpr const char* kSpec = R"({"trainyard": 1, "model": {"preset": "gpt2-xl", "vocabulary": 50304},
    "cluster": {"nodes": [{"host": "a", "slots": 8}]}, "layout": {"data": 8},
    "batch": {"global": 64, "micro": 1, "accumulation": 8}, "precision": {"compute": "bfloat16"},
    "memory": {"zero_stage": 1, "recompute": "full"}, "dataset": {"path": "/d"}})";

/// A temporary folder for specifications and for what commands write.
class PlanningFolder {
public:
    QString path() const { return m_folder.path(); }
    QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Writes the file and returns its path.
    QString write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace trainyard::test
