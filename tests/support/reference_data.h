#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainyard {

/// Returns a file or folder of the reference data, which is not part of the repository: below data of
/// $TRAINYARD_SHARED, or of ../shared without that. It may be absent; see NEEDS_REFERENCE.
inline std::filesystem::path referenceData(const std::string& path)
{
    namespace fs = std::filesystem;
    const char* shared = std::getenv("TRAINYARD_SHARED");
    return (shared ? fs::path(shared) : fs::path(TRAINYARD_SOURCE_DIR) / "../shared") / "data" / path;
}

/// Returns an excerpt of Wikipedia: 206 pages in one stream of bzip2.
inline std::filesystem::path referenceExcerpt()
{
    return referenceData("wiki/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2");
}

/// Returns the folder of the shards that NVIDIA's scripts made of the excerpt. `length` = 128 tokens with 20
/// predictions, or 512 with 80.
inline std::filesystem::path referenceShards(int length)
{
    return referenceData("reference_hdf5/hdf5_lower_case_1_seq_len_" + std::to_string(length) + "_max_pred_" +
                         std::to_string(length == 128 ? 20 : 80) +
                         "_masked_lm_prob_0.15_random_seed_12345_dupe_factor_5/wikicorpus_en");
}

/// Returns the folder of a small BERT with a head for `task` ("classify"), with four rows and what Hugging
/// Face's own code computes from them in float64.
inline std::filesystem::path referenceTaskModel(const std::string& task)
{
    return referenceData("hf_families/bert-" + task + "-tiny");
}

} // namespace trainyard

/// Skips a function of Qt Test where this path of the reference data is absent.
#define NEEDS_REFERENCE(reference)                                                                           \
    do {                                                                                                     \
        const std::filesystem::path needed = reference;                                                      \
        if (!std::filesystem::exists(needed))                                                                \
            QSKIP(("needs the reference data in " + needed.lexically_normal().string()).c_str());            \
    } while (false)
