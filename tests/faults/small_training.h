#pragma once

#include <QTemporaryDir>

#include "engine/spec/run_spec.h"
#include "tests/support/lab/netns_lab.h"

/// A model and a data set that a lab can really train on: BERT-tiny, sequences of 64 tokens.
class SmallTraining {
public:
    /// On the first `hosts` hosts of the lab, which must be up.
    SmallTraining(trainyard::lab::NetnsLab& lab, int hosts) : m_lab(lab), m_hosts(hosts) {}

    /// Makes the data set and copies it to the hosts. Empty, or what went wrong.
    QString prepare();
    /// One rank on each host, for more steps than any test waits for. After prepare().
    trainyard::RunSpec spec() const;

private:
    trainyard::lab::NetnsLab& m_lab;
    int m_hosts;
    QTemporaryDir m_dir;
};
