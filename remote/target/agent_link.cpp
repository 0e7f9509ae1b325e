#include "remote/target/agent_link.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>

#include "engine/base/json_limits.h"
#include "engine/base/untrusted_text.h"
#include "remote/wire/error_kind.h"

namespace trainyard {

namespace {

QJsonObject sanitizeJson(const QJsonObject& message);

/// Most texts are plain; those need no copy.
bool isPlain(const QString& text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u' ' && c < u'\x7f'; });
}

QString sanitize(const QString& text)
{
    return isPlain(text) ? text : QString::fromStdString(sanitizeText(text.toStdString(), Lines::Many));
}

QJsonValue sanitize(const QJsonValue& value)
{
    if (value.isString())
        return sanitize(value.toString());
    if (value.isObject())
        return sanitizeJson(value.toObject());
    if (!value.isArray())
        return value;
    QJsonArray entries;
    for (const auto& entry : value.toArray())
        entries.append(sanitize(QJsonValue(entry)));
    return entries;
}

/// Applies sanitizeText() to every text of an agent's message, names included, so that they may be shown.
/// Line breaks stay.
QJsonObject sanitizeJson(const QJsonObject& message)
{
    QJsonObject clean;
    for (auto member = message.begin(); member != message.end(); ++member)
        clean.insert(sanitize(member.key()), sanitize(QJsonValue(member.value())));
    return clean;
}

} // namespace

AgentLink::AgentLink(const QString& host, std::unique_ptr<Transport> transport, CallTable& calls)
    : m_host(host), m_transport(std::move(transport)), m_calls(calls)
{
    m_heard.start();
    connect(m_transport.get(), &Transport::opened, this, &AgentLink::opened);
    connect(m_transport.get(), &Transport::received, this, &AgentLink::onReceived);
    connect(m_transport.get(), &Transport::failed, this, &AgentLink::fail);
}

AgentLink::~AgentLink() = default;

void AgentLink::sendMessage(const QJsonObject& message)
{
    const QByteArray json = QJsonDocument(message).toJson(QJsonDocument::Compact);
    m_transport->sendControl(
        QByteArray::fromStdString(encodeMessage({json.constData(), static_cast<std::size_t>(json.size())})));
}

void AgentLink::sendChunk(Target::CallId id, const QByteArray& bytes)
{
    m_transport->sendBulk(QByteArray::fromStdString(
        encodeChunk(id, {bytes.constData(), static_cast<std::size_t>(bytes.size())})));
}

void AgentLink::onReceived(const QByteArray& bytes)
{
    m_heard.restart();
    m_parser.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    while (!m_failed) {
        const auto frame = m_parser.next();
        if (!frame.ok())
            return fail(unreachable(frame.error().message));
        if (!frame->has_value())
            return;
        const std::string_view payload = (*frame)->payload;
        if ((*frame)->type == FrameType::Message)
            onMessage(payload);
        else // a copy, because handlers may keep it
            m_calls.onChunk((*frame)->request,
                            QByteArray(payload.data(), static_cast<qsizetype>(payload.size())));
    }
}

void AgentLink::onMessage(std::string_view json)
{
    if (const Status fits = checkJsonLimits(json); !fits.ok())
        return fail(unreachable("the agent sent an invalid message: " + fits.error().message));
    const auto document =
        QJsonDocument::fromJson(QByteArray::fromRawData(json.data(), static_cast<qsizetype>(json.size())));
    if (!document.isObject())
        return fail(unreachable("the agent sent a message that is not JSON"));
    const QJsonObject message = sanitizeJson(document.object());
    const qint64 given = message.value("id").toInteger(-1);
    const auto id = static_cast<Target::CallId>(given);
    if (given != qint64{id})
        return fail(unreachable("the agent sent a message without a usable id"));
    if (id == 0)
        return fail(errorOf(message.value("error").toObject()));
    onReply(id, message);
}

void AgentLink::onReply(Target::CallId id, const QJsonObject& message)
{
    if (!message.contains("ok"))
        m_calls.onInterim(id, message);
    else if (message.value("ok").toBool())
        m_calls.finish(id, message);
    else
        m_calls.finish(id, errorOf(message.value("error").toObject()).in(m_host.toStdString()));
}

Error AgentLink::errorOf(const QJsonObject& error) const
{
    const QString message = error.value("message").toString("the agent gave no reason");
    // A newer agent may know kinds that this version does not.
    const auto kind = errorKindFromName(error.value("kind").toString().toStdString());
    return sanitizeError({kind.value_or(ErrorKind::Failed), message.toStdString(),
                          error.value("hint").toString().toStdString()});
}

void AgentLink::fail(const Error& error)
{
    if (m_failed)
        return;
    m_failed = true;
    emit failed(error);
}

} // namespace trainyard
