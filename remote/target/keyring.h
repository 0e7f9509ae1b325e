#pragma once

#include <functional>
#include <optional>

#include <QString>

#include "remote/ssh/secret.h"

namespace trainyard {

/// Stores secrets of a person between sessions of the application. GUI thread; no call blocks, the results
/// come later on the event loop.
class Keyring {
public:
    virtual ~Keyring() = default;

    /// Returns true when a keyring exists, so that storing can be offered.
    virtual bool isPresent() const = 0;
    /// Returns true when a secret is stored under that name, as far as known; reading it may make the system
    /// ask the person to unlock the keyring.
    virtual bool holds(const QString& name) const = 0;
    /// nullopt = it does not exist, the keyring stays locked, or it does not respond.
    virtual void read(const QString& name, std::function<void(std::optional<ssh::Secret>)> done) = 0;
    virtual void write(const QString& name, const ssh::Secret& secret) = 0;
    virtual void remove(const QString& name) = 0;
};

} // namespace trainyard
