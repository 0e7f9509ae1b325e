#pragma once

#include <set>
#include <string>

#include "remote/ssh/authenticate.h"
#include "remote/ssh/login_verdict.h"
#include "remote/ssh/private_key.h"

namespace trainyard::ssh {

/// Public-key login: first with the keys of the ssh-agent, then with the key files. Asks for a passphrase
/// only after the server has said that it would accept that key, at most three times. A key with a
/// certificate is offered with it first. Offers at most five keys, because servers disconnect at six
/// (MaxAuthTries). Uses each key for only one step of a login.
class KeyLogin {
public:
    KeyLogin(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt);

    Result<LoginVerdict> run();
    /// For the message when no key was accepted: "keys of the ssh-agent, /home/a/.ssh/id_ed25519".
    const std::string& tried() const { return m_tried; }

private:
    Result<LoginVerdict> tryAgent();
    Result<LoginVerdict> tryFile(const std::filesystem::path& file);
    Result<LoginVerdict> tryCertificates(const std::filesystem::path& file, const Key& half);
    Result<LoginVerdict> tryKey(const std::filesystem::path& file, const Key* certificate);
    template <typename Try>
    Result<LoginVerdict> offer(const std::filesystem::path& file, Try attempt);
    Result<Key> unlock(const std::filesystem::path& file) const;
    std::vector<std::string> publicHalves() const;
    void note(const std::string& what);

    Session& m_session;
    const Hop& m_hop;
    Interaction& m_interaction;
    const Interrupt& m_interrupt;
    int m_offered = 0;
    bool m_agentTried = false;
    std::set<std::filesystem::path> m_used; ///< files whose key was accepted for a step before
    std::string m_tried;
};

} // namespace trainyard::ssh
