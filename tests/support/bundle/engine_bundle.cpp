#include "tests/support/bundle/engine_bundle.h"

#include <QFile>
#include <QProcess>

#include "tests/support/patience.h"

namespace trainyard::support {

QString bundleEngine(const QString& folder)
{
    const QString shared = qEnvironmentVariable("TRAINYARD_TEST_BUNDLE");
    if (!shared.isEmpty())
        return QFile::link(shared, folder) ? QString() : "cannot link " + folder + " to " + shared;
    QProcess bundle;
    bundle.setProcessChannelMode(QProcess::MergedChannels);
    bundle.start(QStringLiteral(TRAINYARD_SOURCE_DIR "/packaging/bundle"),
                 {"--build", QStringLiteral(TRAINYARD_BUILD_DIR), folder});
    const bool ended = bundle.waitForFinished(2 * kPatienceMs);
    if (ended && bundle.exitStatus() == QProcess::NormalExit && bundle.exitCode() == 0)
        return {};
    return "packaging/bundle: " + (ended ? QString::fromUtf8(bundle.readAll()) : bundle.errorString());
}

} // namespace trainyard::support
