#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "remote/ssh/known_hosts.h"
#include "remote/ssh/login_inquiry.h"

namespace trainyard::ssh {

/// Questions and messages of a connection to a person. Called in the connection's thread; answers may take as
/// long as a person takes, and must return immediately when the connection is interrupted.
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
    /// A hop presents another key than the known ones: the connection is refused without a question.
    virtual void hostKeyChanged(const HostKeyChange& change) = 0;
    virtual LoginAnswers login(const LoginInquiry& inquiry) = 0;
    /// The answers for this account (LoginInquiry::account) were correct.
    virtual void loggedIn(const std::string& account) = 0;
    virtual void notice(const std::string& text) = 0;
    virtual void progress(const std::string& text) = 0;
};

} // namespace trainyard::ssh
