#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "datasets/tokenizer/text_encoder.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads a tokenizer.json of Hugging Face tokenizers 0.23: byte pair encoding with its normalizers,
/// pre-tokenizers and added tokens, or BERT's WordPiece. Its encoders yield the ids of encode(text,
/// add_special_tokens=False): the "post_processor", which frames rows, and the "decoder" are not looked at.
/// Text that is not UTF-8 is repaired first (repairUtf8()). BadInput names the key of what is wrong or not
/// supported; nothing is ignored that could change an id.
Result<std::unique_ptr<Tokenizer>> loadTokenizer(const std::filesystem::path& file);
Result<std::unique_ptr<Tokenizer>> parseTokenizer(std::string_view json);

} // namespace trainyard
