#include "remote/stream/attempt_mirror.h"

#include <utility>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/target/read_file.h"
#include "remote/target/target.h"

namespace trainyard {

namespace {

std::string fileOf(std::uint32_t attempt)
{
    return fmt::format("attempts/{:04}.json", attempt);
}

} // namespace

AttemptMirror::AttemptMirror(QString runId, Target& head, std::filesystem::path folder, QObject* parent)
    : QObject(parent), m_runId(std::move(runId)), m_head(head), m_folder(std::move(folder))
{
}

void AttemptMirror::attemptBegan(std::uint32_t attempt)
{
    if (attempt < 2 || attempt < m_wanted)
        return;
    m_wanted = attempt;
    fetch();
}

void AttemptMirror::fetch()
{
    if (m_wanted == 0 || m_isFetching || m_head.state() != Target::State::Ready)
        return;
    m_isFetching = true;
    const QJsonObject request{
        {"op", "read"}, {"run", m_runId}, {"file", QString::fromStdString(fileOf(m_wanted))}};
    readWhole(m_head, request, this, [this, attempt = m_wanted](const Result<QByteArray>& content) {
        m_isFetching = false;
        take(attempt, content);
    });
}

void AttemptMirror::take(std::uint32_t attempt, const Result<QByteArray>& request)
{
    if (!request.ok() && request.error().kind == ErrorKind::Unreachable)
        return; // asked for again with the next fetch()
    const Status kept = request.ok() ? keep(attempt, *request) : Status(request.error());
    if (m_wanted == attempt)
        m_wanted = 0;
    if (kept.ok())
        emit arrived(attempt);
    else
        emit problem(kept.error().in(fmt::format("the layout of attempt {} is not known", attempt)));
    fetch();
}

Status AttemptMirror::keep(std::uint32_t attempt, const QByteArray& request) const
{
    TRAINYARD_TRY_STATUS(makeFolder(m_folder / "attempts"));
    return writeFileAtomically(m_folder / fileOf(attempt), request.toStdString());
}

} // namespace trainyard
