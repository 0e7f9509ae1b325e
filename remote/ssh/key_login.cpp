#include "remote/ssh/key_login.h"

#include <libssh/libssh.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "remote/ssh/agent_proxy.h"

namespace trainyard::ssh {

namespace {

constexpr int kMaxAgentKeys = 3;
constexpr int kMaxKeys = 5;
constexpr int kPassphraseAttempts = 3;

LoginInquiry passphraseInquiry(const Hop& hop, const std::filesystem::path& file, int attempt)
{
    LoginInquiry inquiry;
    inquiry.kind = LoginInquiry::Kind::Passphrase;
    inquiry.host = hop.host.alias;
    inquiry.user = hop.host.user;
    inquiry.account = hop.host.account();
    inquiry.via = hop.via;
    inquiry.keyFile = file.string();
    inquiry.prompts = {{"Passphrase of " + file.string(), false}};
    inquiry.attempt = attempt;
    return inquiry;
}

} // namespace

KeyLogin::KeyLogin(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt)
    : m_session(session), m_hop(hop), m_interaction(interaction), m_interrupt(interrupt)
{
}

Result<LoginVerdict> KeyLogin::run()
{
    TRAINYARD_TRY(const LoginVerdict agent, tryAgent());
    if (agent != LoginVerdict::Denied)
        return agent;
    for (const auto& file : m_hop.host.identityFiles) {
        TRAINYARD_TRY(const LoginVerdict answer, tryFile(file));
        if (answer != LoginVerdict::Denied)
            return answer;
    }
    return LoginVerdict::Denied;
}

Result<LoginVerdict> KeyLogin::tryAgent()
{
    if (m_hop.host.agentSocket.empty() || std::exchange(m_agentTried, true))
        return LoginVerdict::Denied;
    AgentProxy::Wish wish{publicHalves(), m_hop.host.identitiesOnly, kMaxAgentKeys};
    auto proxy = AgentProxy::start(m_hop.host.agentSocket, std::move(wish), m_interrupt);
    if (!proxy.ok()) {
        note("the ssh-agent (" + proxy.error().message + ")");
        return LoginVerdict::Denied;
    }
    if (ssh_set_agent_socket(m_session.handle(), proxy->releaseClientEnd()) != SSH_OK)
        return LoginVerdict::Denied;
    auto answer = readLoginVerdict(m_session, ssh_userauth_agent(m_session.handle(), nullptr));
    m_offered += proxy->keysShown();
    note(proxy->keysShown() > 0 ? "keys of the ssh-agent"
                                : "the ssh-agent (it offers no keys; `ssh-add -l` lists them)");
    return answer;
}

std::vector<std::string> KeyLogin::publicHalves() const
{
    std::vector<std::string> blobs;
    for (const auto& file : m_hop.host.identityFiles) {
        if (const auto key = loadPublicKey(file); key.ok())
            blobs.push_back(key->publicBlob());
    }
    return blobs;
}

Result<LoginVerdict> KeyLogin::tryFile(const std::filesystem::path& file)
{
    std::error_code ignored;
    if (m_offered >= kMaxKeys || m_used.contains(file) || !std::filesystem::is_regular_file(file, ignored))
        return LoginVerdict::Denied;
    if (const auto half = loadPublicKey(file); half.ok()) {
        TRAINYARD_TRY(const LoginVerdict certified, tryCertificates(file, *half));
        if (certified != LoginVerdict::Denied)
            return certified;
        // Asking first is cheap, and no passphrase is wanted for a key that would not open the door.
        TRAINYARD_TRY(const LoginVerdict welcome, offer(file, [&] {
                          return ssh_userauth_try_publickey(m_session.handle(), nullptr, half->handle());
                      }));
        if (welcome == LoginVerdict::Denied)
            return LoginVerdict::Denied;
    }
    return tryKey(file, nullptr);
}

Result<LoginVerdict> KeyLogin::tryCertificates(const std::filesystem::path& file, const Key& half)
{
    std::vector<std::filesystem::path> files{file.string() + "-cert.pub"};
    files.insert(files.end(), m_hop.host.certificateFiles.begin(), m_hop.host.certificateFiles.end());
    for (const auto& name : files) {
        const auto certificate = loadCertificate(name);
        if (!certificate.ok() || !isCertificateOf(*certificate, half) || m_offered >= kMaxKeys)
            continue;
        TRAINYARD_TRY(const LoginVerdict welcome, offer(name, [&] {
                          return ssh_userauth_try_publickey(m_session.handle(), nullptr,
                                                            certificate->handle());
                      }));
        if (welcome != LoginVerdict::Denied)
            return tryKey(file, &*certificate);
    }
    return LoginVerdict::Denied;
}

Result<LoginVerdict> KeyLogin::tryKey(const std::filesystem::path& file, const Key* certificate)
{
    auto key = unlock(file);
    if (key.ok() && certificate) {
        if (const Status attached = attachCertificate(*certificate, *key); !attached.ok())
            key = attached.error();
    }
    if (!key.ok()) {
        note(fmt::format("{} ({})", file.string(), key.error().message));
        return LoginVerdict::Denied;
    }
    TRAINYARD_TRY(const LoginVerdict answer, offer(file, [&] {
                      return ssh_userauth_publickey(m_session.handle(), nullptr, key->handle());
                  }));
    if (answer == LoginVerdict::Partial)
        m_used.insert(file);
    return answer;
}

template <typename Try>
Result<LoginVerdict> KeyLogin::offer(const std::filesystem::path& file, Try attempt)
{
    if (m_tried.find(file.string()) == std::string::npos)
        note(file.string());
    TRAINYARD_TRY(const LoginVerdict answer, readLoginVerdict(m_session, attempt()));
    if (answer == LoginVerdict::Denied)
        ++m_offered;
    return answer;
}

Result<Key> KeyLogin::unlock(const std::filesystem::path& file) const
{
    TRAINYARD_TRY(const std::string content, readFile(file));
    if (!isEncryptedKey(content))
        return loadPrivateKey(file, nullptr);
    if (!m_hop.host.mayAsk)
        return refused("it has a passphrase, and BatchMode in the ssh configuration forbids asking for it");
    for (int attempt = 1; attempt <= kPassphraseAttempts; ++attempt) {
        const auto answers = m_interaction.login(passphraseInquiry(m_hop, file, attempt));
        if (!answers || answers->empty())
            return refused("no passphrase given");
        auto key = loadPrivateKey(file, &answers->front());
        if (key.ok() || key.error().kind == ErrorKind::BadInput)
            return key;
    }
    return refused("wrong passphrase");
}

void KeyLogin::note(const std::string& what)
{
    m_tried += (m_tried.empty() ? "" : ", ") + what;
}

} // namespace trainyard::ssh
