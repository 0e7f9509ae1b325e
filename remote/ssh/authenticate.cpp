#include "remote/ssh/authenticate.h"

#include <libssh/libssh.h>

#include <fmt/format.h>

#include "remote/ssh/agent_proxy.h"
#include "remote/ssh/private_key.h"

namespace trainyard::ssh {

namespace {

constexpr int kMostAgentKeys = 3;
constexpr int kMostKeys = 5;
constexpr int kPassphraseAttempts = 3;

enum class Answer { Accepted, Denied };

/// One authentication: what was tried, and how many tries the server still allows.
class Authentication {
public:
    Authentication(Session& session, const HostConfig& host, Interaction& interaction,
                   const Interrupt& interrupt)
        : m_session(session), m_host(host), m_interaction(interaction), m_interrupt(interrupt)
    {
    }

    Status run()
    {
        TRAINYARD_TRY(const Answer open, fold(ssh_userauth_none(m_session.handle(), nullptr)));
        if (open == Answer::Accepted)
            return {};
        const int methods = ssh_userauth_list(m_session.handle(), nullptr);
        if ((methods & SSH_AUTH_METHOD_PUBLICKEY) == 0)
            return refused("the host does not accept keys for the user " + m_host.user,
                           "allow PubkeyAuthentication in its sshd_config; passwords are not supported");
        TRAINYARD_TRY(const Answer agent, tryAgent());
        if (agent == Answer::Accepted)
            return {};
        for (const auto& file : m_host.identityFiles) {
            TRAINYARD_TRY(const Answer answer, tryFile(file));
            if (answer == Answer::Accepted)
                return {};
        }
        return denied();
    }

private:
    /// Again means the time limit here: libssh is in blocking mode.
    Result<Answer> fold(int code) const
    {
        switch (code) {
        case SSH_AUTH_SUCCESS:
            return Answer::Accepted;
        case SSH_AUTH_DENIED:
            return Answer::Denied;
        case SSH_AUTH_PARTIAL:
            return refused("the host wants a second factor, which is not supported",
                           "use an account that a key opens");
        case SSH_AUTH_AGAIN:
            return unreachable("the host did not answer during authentication");
        default:
            if (!m_session.connected())
                return refused(
                    "the host hung up during authentication: " + m_session.libraryError(),
                    "too many keys may have been offered; name one with IdentityFile and IdentitiesOnly");
            return Answer::Denied;
        }
    }

    Result<Answer> tryAgent()
    {
        if (m_host.agentSocket.empty())
            return Answer::Denied;
        AgentProxy::Wish wish{publicHalves(), m_host.identitiesOnly, kMostAgentKeys};
        auto proxy = AgentProxy::start(m_host.agentSocket, std::move(wish), m_interrupt);
        if (!proxy.ok()) {
            m_tried += "the ssh-agent (" + proxy.error().message + ")";
            return Answer::Denied;
        }
        if (ssh_set_agent_socket(m_session.handle(), proxy->releaseClientEnd()) != SSH_OK)
            return Answer::Denied;
        m_offered += kMostAgentKeys - 1; // it may have had fewer
        m_tried += "keys of the ssh-agent";
        return fold(ssh_userauth_agent(m_session.handle(), nullptr));
    }

    std::vector<std::string> publicHalves() const
    {
        std::vector<std::string> blobs;
        for (const auto& file : m_host.identityFiles) {
            if (const auto key = loadPublicKey(file); key.ok())
                blobs.push_back(key->publicBlob());
        }
        return blobs;
    }

    Result<Answer> tryFile(const std::filesystem::path& file)
    {
        std::error_code ignored;
        if (m_offered >= kMostKeys || !std::filesystem::is_regular_file(file, ignored))
            return Answer::Denied;
        if (const auto half = loadPublicKey(file); half.ok()) {
            // Asking first is cheap, and no passphrase is wanted for a key that would not open the door.
            TRAINYARD_TRY(const Answer welcome, offer(file, [&] {
                              return ssh_userauth_try_publickey(m_session.handle(), nullptr, half->handle());
                          }));
            if (welcome == Answer::Denied)
                return Answer::Denied;
        }
        auto key = unlock(file);
        if (!key.ok()) {
            m_tried +=
                fmt::format("{}{} ({})", m_tried.empty() ? "" : ", ", file.string(), key.error().message);
            return Answer::Denied;
        }
        return offer(file,
                     [&] { return ssh_userauth_publickey(m_session.handle(), nullptr, key->handle()); });
    }

    template <typename Try>
    Result<Answer> offer(const std::filesystem::path& file, Try attempt)
    {
        if (m_tried.find(file.string()) == std::string::npos)
            m_tried += (m_tried.empty() ? "" : ", ") + file.string();
        TRAINYARD_TRY(const Answer answer, fold(attempt()));
        if (answer == Answer::Denied)
            ++m_offered;
        return answer;
    }

    Result<Key> unlock(const std::filesystem::path& file)
    {
        TRAINYARD_TRY(const std::string content, readFile(file));
        if (!isEncryptedKey(content))
            return loadPrivateKey(file, nullptr);
        for (int attempt = 1; attempt <= kPassphraseAttempts; ++attempt) {
            const auto secret = m_interaction.passphrase(m_host.alias, file, attempt);
            if (!secret)
                return refused("no passphrase given");
            auto key = loadPrivateKey(file, &*secret);
            if (key.ok() || key.error().kind == ErrorKind::BadInput)
                return key;
        }
        return refused("wrong passphrase");
    }

    Error denied() const
    {
        return refused(fmt::format("no key opens it for the user {} (tried: {})", m_host.user,
                                   m_tried.empty() ? "none was found" : m_tried),
                       fmt::format("put a key there: ssh-copy-id {}@{}", m_host.user, m_host.alias));
    }

    Session& m_session;
    const HostConfig& m_host;
    Interaction& m_interaction;
    const Interrupt& m_interrupt;
    int m_offered = 0;
    std::string m_tried;
};

} // namespace

Status authenticate(Session& session, const HostConfig& host, Interaction& interaction,
                    const Interrupt& interrupt)
{
    return Authentication(session, host, interaction, interrupt).run();
}

} // namespace trainyard::ssh
