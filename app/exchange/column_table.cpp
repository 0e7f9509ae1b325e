#include "app/exchange/column_table.h"

#include <QProcess>

#include "app/base/this_machine.h"

namespace trainyard {

namespace {

constexpr auto kReader = "trainyard-prepare";

/// What the program said last, without its own name in front.
Status endOf(QProcess& process, const std::filesystem::path& file)
{
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return {};
    const QString said =
        QString::fromUtf8(process.readAllStandardError()).trimmed().section(QLatin1Char('\n'), 0, 0);
    const QString prefix = QStringLiteral("%1 rows: ").arg(QLatin1String(kReader));
    const auto kind = errorKindFromExitStatus(process.exitCode());
    if (said.isEmpty())
        return failed(file.string() + " could not be read");
    const QString message = said.startsWith(prefix) ? said.mid(prefix.size()) : said;
    return Error{kind.value_or(ErrorKind::Failed), message.toStdString(), {}};
}

} // namespace

bool isParquet(const std::filesystem::path& file)
{
    return file.extension() == ".parquet";
}

Status readColumnTable(const std::filesystem::path& file,
                       const std::function<bool(const QByteArray& line)>& take)
{
    QProcess process;
    process.start(nodeProgram(QLatin1String(kReader)),
                  {QStringLiteral("rows"), QString::fromStdString(std::filesystem::absolute(file).string())});
    if (!process.waitForStarted(-1))
        return refused(std::string(kReader) + " could not be started",
                       "build the node half, or set TRAINYARD_BIN to its folder");
    while (process.canReadLine() || process.waitForReadyRead(-1)) {
        while (process.canReadLine()) {
            if (take(process.readLine()))
                continue;
            process.kill();
            process.waitForFinished(-1);
            return {};
        }
    }
    process.waitForFinished(-1);
    return endOf(process, file);
}

} // namespace trainyard
