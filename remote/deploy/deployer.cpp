#include "remote/deploy/deployer.h"

#include "remote/deploy/bundle_upload.h"

namespace trainyard {

Deployer::Deployer(Bundle bundle, const QList<Target*>& targets, QObject* parent)
    : QObject(parent), m_bundle(std::move(bundle)), m_left(static_cast<std::size_t>(targets.size()))
{
    for (Target* target : targets) {
        auto& upload = m_uploads.emplace_back(std::make_unique<BundleUpload>(m_bundle, *target));
        const QString host = target->host();
        connect(upload.get(), &BundleUpload::progress, this,
                [this, host](qint64 done, qint64 total) { emit progress(host, done, total); });
        connect(upload.get(), &BundleUpload::finished, this, &Deployer::onHostFinished);
    }
}

Deployer::~Deployer() = default;

void Deployer::start()
{
    for (const auto& upload : m_uploads)
        upload->start();
}

void Deployer::cancel()
{
    for (const auto& upload : m_uploads)
        upload->cancel();
}

void Deployer::onHostFinished(const Status& result)
{
    if (!result.ok()) {
        if (m_failure) {
            m_failure->message += "; " + result.error().message;
        } else {
            m_failure = result.error();
        }
    }
    if (--m_left == 0)
        emit finished(m_failure ? Status(*m_failure) : Status());
}

} // namespace trainyard
