// A fuzz target for the reader of models (libFuzzer, clang): whatever the bytes are, they are read or refused, and what was read is written, read again
// and written to the same text.
//   clang++-19 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Iinclude tests/fuzz/model_reader.cpp -o fuzz_model_reader
//   ./fuzz_model_reader -max_len=8192 corpus/ examples/models/
#include <cotan/dyn/graph.hpp>
#include <cotan/dyn/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cotan::dyn::model_limits limits;
    limits.bytes = std::size_t{1} << 16;
    limits.nodes = limits.extents = 2000;
    std::string first;
    try {
        first = cotan::dyn::to_json(cotan::dyn::from_json(std::string(reinterpret_cast<const char*>(data), size), limits));
    } catch (const cotan::error&) { return 0; }
    if (cotan::dyn::to_json(cotan::dyn::from_json(first)) != first) std::abort();
    return 0;
}
