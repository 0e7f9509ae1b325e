#pragma once

#include <functional>
#include <memory>

#include <QJsonDocument>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include "engine/spec/run_spec.h"

namespace trainyard::test {

/// What one call of the command line gave.
struct CliResult {
    int status = -1;
    QString out;
    QString err;
};

/// The built `trainyard` with a home and a desk of its own in a temporary folder; nothing outside is touched.
class CliFixture {
public:
    CliFixture();

    /// Runs `trainyard <arguments>` to its end. Status -1 when it did not end within `seconds`; it is killed
    /// then.
    CliResult run(const QStringList& arguments, int seconds = kPatienceSeconds) const;
    /// The same with `inChild` called in the new process before the program starts, to change its streams.
    CliResult run(const QStringList& arguments, const std::function<void()>& inChild) const;
    /// Starts it and returns at once; the caller ends it.
    std::unique_ptr<QProcess> start(const QStringList& arguments,
                                    const std::function<void()>& inChild = {}) const;

    QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Writes `content` to `name` in the fixture's folder and gives its path.
    QString write(const QString& name, const QByteArray& content) const;
    QString writeSpec(const QString& name, const RunSpec& spec) const;

    /// Makes a small data set from the sample dump in `dataset`, once. False with the reason on failure.
    bool makeDataset(QString* why) const;
    QString dataset() const { return path("dataset"); }

private:
    static constexpr int kPatienceSeconds = 400;

    static CliResult endOf(QProcess& process, int seconds);
    QProcessEnvironment environment() const;

    QTemporaryDir m_folder;
};

/// BERT with two small layers on `dataset`, `ranks` ranks of this machine, `steps` steps.
RunSpec tinySpec(const QString& dataset, int ranks, int steps);

} // namespace trainyard::test
