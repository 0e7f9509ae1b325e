#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"
#include "engine/checkpoint/weights/weight_source.h"

namespace trainyard {

/// The weights of a Hugging Face folder, laid out as this engine has them. Tensors that are part of no model
/// of ours (the head of a classifier) keep their names there.
class HuggingFaceWeights : public WeightSource {
public:
    static Result<std::unique_ptr<WeightSource>> open(const std::filesystem::path& folder);

    Status read(const StoredTensor& tensor, const TensorBox& box, std::span<std::byte> destination) override;
    std::string fingerprint() const override;
    /// Tied tensors that are stored twice have to agree.
    Status checkContent() const override;
    std::vector<std::filesystem::path> files() const override { return m_folder.files(); }

private:
    /// A tensor of a file: all rows of a logical one, or some.
    struct Piece {
        TensorBytes bytes; ///< view of the file
        std::int64_t firstRow = 0;
    };
    struct Stored {
        std::vector<Piece> pieces; ///< in the order of their rows
        bool transposed = false;   ///< of one piece only

        std::vector<std::int64_t> logicalShape() const;
    };
    /// What the files hold by the names of checkpoints.
    struct Content {
        std::map<std::string, Stored> tensors;
        std::vector<std::pair<TensorBytes, std::string>> copies; ///< and the tensor that each is tied to
    };
    HuggingFaceWeights(HuggingFaceFolder folder, Content content, WeightDescription description);
    static Status add(Content& content, const TensorBytes& bytes, const TensorRole& role, bool transposed);
    static Result<Content> contentOf(const HuggingFaceFolder& folder);

    HuggingFaceFolder m_folder; ///< owns the memory that the content views
    Content m_content;
};

} // namespace trainyard
