#include <catch2/catch.hpp>

#include <cotan/dyn.hpp>
#include <cotan/dyn/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace cotan;
using dyn::expr;

namespace {

/// What from_json says of a text.
std::string refusal(const std::string& text) {
    try {
        (void)dyn::from_json(text);
    } catch (const cotan::error& e) { return e.what(); }
    return "it was read";
}
bool says(const std::string& text, const std::string& words) {
    const std::string what = refusal(text);
    INFO(what);
    CHECK(what.find(words) != std::string::npos);
    return what.find(words) != std::string::npos;
}
const std::string head = R"({"cotan":1,"extents":[{"name":"n"},{"size":3}],"nodes":[{"op":"input","name":"x","dtype":"double","shape":[0]},{"op":"input","name":"m","dtype":"double","shape":[1,0]})";
std::string with(const std::string& nodes) { return head + nodes + R"(],"inputs":[0,1],"outputs":[]})"; }

}  // namespace

TEST_CASE("a model that was saved and loaded computes the same, bit by bit") {
    const auto x = dyn::tensor<double>("x", 1), w = dyn::tensor<double>("w", {3, "k"}), s = dyn::scalar<float>("s");
    const expr h = tanh(0.1 * x(dyn::slice(1, end)) + 1e-300) / 3, y = sum(dot(w, transpose(w)) * 0.3) + sum(square(h)) * s;
    dyn::model m{{x, w, s}, {{"y", y}, {"gradient", grad(y, x)}, {"hessian", hessian(sum(square(h)), x)}, {"mean", mean(w, 0)}, {"largest", max(reshape(w, {"k", 3}), 1)},
                            {"infinite", y * std::numeric_limits<double>::infinity()}, {"variance", var(x, ddof<1>)}, {"tangent", pushforward(h, x, x)},
                            {"stretched", broadcast_like(s, w)}, {"parts", where(x > 0, cumsum(x, 0, reverse), -x)}, {"whole", cast<std::int64_t>(x)}}};
    const std::string text = dyn::to_json(m);
    const dyn::model again = dyn::from_json(text);
    CHECK(dyn::to_json(again) == text);
    const xt::xtensor<double, 1> xd = {0.3, -0.7, 1.1, 2.5};
    const xt::xtensor<double, 2> wd = {{1, 2}, {3, 4}, {5, 6.5}};
    std::vector<expr> one, two;
    for (const auto& o : m.outputs) one.push_back(o.second);
    for (const auto& o : again.outputs) two.push_back(o.second);
    const auto a = dyn::function(m.inputs, one)({xd, wd, 0.5f}), b = dyn::function(again.inputs, two)({xd, wd, 0.5f});
    for (std::size_t i = 0; i < a.size(); ++i) {
        INFO(m.outputs[i].first);
        REQUIRE(a[i].shape() == b[i].shape());
        REQUIRE(a[i].dtype() == b[i].dtype());
        CHECK(std::memcmp(a[i].bytes(), b[i].bytes(), a[i].size() * static_cast<std::size_t>(bits::size_of(a[i].dtype()))) == 0);
    }
    CHECK(again["y"].rank() == 0);
    CHECK(again.input("w").rank() == 2);
    CHECK_THROWS_WITH(again["z"], Catch::Contains("no result \"z\""));
}

TEST_CASE("numbers come back exactly") {
    const auto x = dyn::scalar<double>("x");
    for (double v : {0.1, -0.0, 5e-324, 1.7976931348623157e308, 1.0 / 3, 123456789.123456789}) {
        const dyn::model again = dyn::from_json(dyn::to_json({{x}, {{"y", where(x > 0, v, x)}}}));
        const double got = dyn::function(again.inputs, {again["y"]})({1.0})[0].scalar<double>();
        CHECK(got == v);
        CHECK(std::signbit(got) == std::signbit(v));
    }
    const auto n = dyn::scalar<std::int64_t>("n");
    const std::int64_t wide = (std::int64_t{1} << 62) + 1;
    const dyn::model again = dyn::from_json(dyn::to_json({{n}, {{"y", where(n > 0, wide, n)}}}));
    CHECK(dyn::function(again.inputs, {again["y"]})({std::int64_t{1}})[0].scalar<std::int64_t>() == wide);
}

TEST_CASE("what is not a model is refused, with a reason and a place") {
    says("", "not JSON");
    says("[1, 2]", "expected an object");
    says("{}", "\"cotan\" is missing");
    says(R"({"cotan":2,"extents":[],"nodes":[],"inputs":[],"outputs":[]})", "the format is 2, and this version of cotan reads 1");
    says(R"({"cotan":1,"extents":[],"nodes":[],"inputs":[],"outputs":[],"more":1})", "unknown key \"more\"");
    says(std::string(100000, '['), "nested deeper than");
    says(with(R"(,{"op":"frobnicate","args":[0]})"), "nodes[2]: unknown operation \"frobnicate\"");
    says(with(R"(,{"op":"exp","args":[0,1]})"), "exp takes 1 args, got 2");
    says(with(R"(,{"op":"exp","args":[2]})"), "nodes[2]: expected an integer from 0 to 1, got 2");
    says(with(R"(,{"op":"exp","args":[-1]})"), "expected an integer from 0 to 1, got -1");
    says(with(R"(,{"op":"exp","args":[0.5]})"), "expected an integer");
    says(with(R"(,{"op":"sum","args":[0],"params":[2]})"), "mask of the operand's axes");
    says(with(R"(,{"op":"sum","args":[0]})"), "expected 1 params, got 0");
    says(with(R"(,{"op":"exp","args":[0],"params":[2]})"), "expected 0 params");
    says(with(R"(,{"op":"index","args":[0],"params":[1,0,2147483646,1]})"), "a slice is out of range");
    says(with(R"(,{"op":"index","args":[0],"params":[9,0,0,0]})"), "unknown kind of index");
    says(with(R"(,{"op":"transpose","args":[1],"params":[1,1]})"), "transpose takes each axis of the operand once");
    says(with(R"(,{"op":"literal","dtype":"double","value":"much"})"), "expected a number");
    says(with(R"(,{"op":"literal","dtype":"int32","value":4294967296})"), "expected an integer from");
    says(with(R"(,{"op":"literal","dtype":"quaternion","value":1})"), "unknown dtype \"quaternion\"");
    says(with(R"(,{"op":"input","name":"x","dtype":"double","shape":[]})"), "two inputs have the name \"x\"");
    says(with(R"(,{"op":"exp","args":[0],"shape":[0]})"), "unknown key \"shape\"");
    says(with(R"(,{"op":"reshape","args":[1],"shape":[1,1]})") , "it was read");  // whether n is 3 is known at the call
    says(with(R"(,{"op":"input","name":"a","dtype":"double","shape":[1,1]},{"op":"reshape","args":[2],"shape":[1]})"), "reshape keeps the number of elements");
    says(with(R"(,{"op":"scatter","args":[0],"params":[0,0,0,0]})"), "unknown operation");
    says(with(R"(,{"op":"jacobian","args":[0]})"), "jacobian takes 2 args");
    says(R"({"cotan":1,"extents":[{"size":1073741824},{"product":[0,0]}],"nodes":[],"inputs":[],"outputs":[]})", "extents[1]: an extent is too large");
    says(R"({"cotan":1,"extents":[{"size":-1}],"nodes":[],"inputs":[],"outputs":[]})", "extents[0]");
    says(R"({"cotan":1,"extents":[{"of":0,"add":1,"div":1}],"nodes":[],"inputs":[],"outputs":[]})", "extents[0]");
    says(R"({"cotan":1,"extents":[{"name":"a.b"}],"nodes":[],"inputs":[],"outputs":[]})", "has no '.'");
    says(R"({"cotan":1,"extents":[],"nodes":[{"op":"literal","dtype":"double","value":1.0}],"inputs":[0],"outputs":[]})", "a node is not an input");
    dyn::model_limits small;
    small.bytes = 100;
    CHECK_THROWS_WITH(dyn::from_json(std::string(101, ' '), small), Catch::Contains("more than the limit of 100"));
    small = {};
    small.nodes = 1;
    CHECK_THROWS_WITH(dyn::from_json(with(""), small), Catch::Contains("more than 1"));
}
