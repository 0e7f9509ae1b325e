#include "remote/ssh/authenticate.h"

#include <libssh/libssh.h>

#include <fmt/format.h>

#include "remote/ssh/key_login.h"
#include "remote/ssh/login_verdict.h"
#include "remote/ssh/prompt_login.h"

namespace trainyard::ssh {

namespace {

constexpr int kMaxSteps = 6;

/// One login, of as many steps as the server wants.
class Authentication {
public:
    Authentication(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt)
        : m_session(session)
        , m_hop(hop)
        , m_keys(session, hop, interaction, interrupt)
        , m_prompts(session, hop, interaction)
    {
    }

    Status run()
    {
        TRAINYARD_TRY(LoginVerdict answer,
                      readLoginVerdict(m_session, ssh_userauth_none(m_session.handle(), nullptr)));
        for (int steps = 0; answer != LoginVerdict::Accepted; ++steps) {
            if (steps == kMaxSteps)
                return refused(
                    fmt::format("the host still asks for authentication after {} login steps", kMaxSteps));
            const int methods = ssh_userauth_list(m_session.handle(), nullptr);
            TRAINYARD_TRY(answer, tryStep(methods));
            if (answer == LoginVerdict::Denied)
                return denied(methods);
        }
        return {};
    }

private:
    Result<LoginVerdict> tryStep(int methods)
    {
        const HostConfig& host = m_hop.host;
        auto answer = Result<LoginVerdict>(LoginVerdict::Denied);
        const auto isOpen = [&](int method, bool wanted) {
            return answer.ok() && *answer == LoginVerdict::Denied && wanted && (methods & method) != 0;
        };
        if (isOpen(SSH_AUTH_METHOD_PUBLICKEY, host.publicKeys))
            answer = m_keys.run();
        if (isOpen(SSH_AUTH_METHOD_INTERACTIVE, host.keyboardInteractive && host.mayAsk))
            answer = m_prompts.runKeyboardInteractive();
        // Who was asked by keyboard-interactive has given the password already.
        if (isOpen(SSH_AUTH_METHOD_PASSWORD, host.passwords && host.mayAsk && m_prompts.tried().empty()))
            answer = m_prompts.runPassword();
        return answer;
    }

    Error denied(int methods) const
    {
        const HostConfig& host = m_hop.host;
        std::string tried = m_keys.tried();
        if (!m_prompts.tried().empty())
            tried += (tried.empty() ? "" : ", ") + m_prompts.tried();
        constexpr int kOurs =
            SSH_AUTH_METHOD_PUBLICKEY | SSH_AUTH_METHOD_INTERACTIVE | SSH_AUTH_METHOD_PASSWORD;
        if ((methods & kOurs) == 0)
            return refused("the host offers no supported login method (keys, passwords, "
                           "keyboard-interactive)",
                           "allow one of them in its sshd_config");
        return refused(fmt::format("no login method worked for the user {} (tried: {}; the host accepts {})",
                                   host.user, tried.empty() ? "no key was found" : tried, namesOf(methods)),
                       hint(methods));
    }

    std::string hint(int methods) const
    {
        const HostConfig& host = m_hop.host;
        if ((methods & SSH_AUTH_METHOD_PUBLICKEY) == 0)
            return "correct the user name or the password";
        return fmt::format("install a key there: ssh-copy-id {}@{}", host.user, host.alias);
    }

    static std::string namesOf(int methods)
    {
        std::string names;
        const auto add = [&](int method, const char* name) {
            if ((methods & method) != 0)
                names += (names.empty() ? "" : ", ") + std::string(name);
        };
        add(SSH_AUTH_METHOD_PUBLICKEY, "keys");
        add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
        add(SSH_AUTH_METHOD_PASSWORD, "passwords");
        return names;
    }

    Session& m_session;
    const Hop& m_hop;
    KeyLogin m_keys;
    PromptLogin m_prompts;
};

} // namespace

Status authenticate(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt)
{
    return Authentication(session, hop, interaction, interrupt).run();
}

} // namespace trainyard::ssh
