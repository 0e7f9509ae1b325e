#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "remote/ssh/known_hosts.h"
#include "remote/ssh/login_inquiry.h"

namespace trainyard::ssh {

/// What a connection has to ask or tell a person. Called in the connection's thread; the answers may take as
/// long as a person takes, and must come at once when the connection is interrupted.
class Interaction {
public:
    struct HostKeyInquiry {
        std::string name;    ///< as it will be remembered
        std::string address; ///< "10.0.0.3 port 22"
        std::string via;     ///< jump host; empty = none
        HostKey key;
    };

    struct HostKeyChange {
        std::string name;    ///< as known_hosts has it
        std::string address; ///< "10.0.0.3 port 22"
        std::string via;     ///< jump host; empty = none
        HostKey shown;
        std::vector<KnownKey> known;                  ///< what it should have been
        std::vector<std::filesystem::path> userFiles; ///< those of known_hosts that are the user's own
    };

    virtual ~Interaction() = default;
    virtual bool trustUnknownKey(const HostKeyInquiry& inquiry) = 0;
    /// A hop shows another key than those it is known by: the connection is refused, nobody is asked.
    virtual void hostKeyChanged(const HostKeyChange& change) = 0;
    virtual LoginAnswers login(const LoginInquiry& inquiry) = 0;
    /// The answers that this account (LoginInquiry::account) got were right.
    virtual void loggedIn(const std::string& account) = 0;
    virtual void notice(const std::string& text) = 0;
    virtual void progress(const std::string& text) = 0;
};

} // namespace trainyard::ssh
