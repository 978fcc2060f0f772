#!/usr/bin/env python3
"""What it costs to compile a model: time and instantiations, for programs as a user would write them.

    measure.py [--repeat 3] [--only REGEX] [--compilers g++ clang++-19] [--flags ...] [--keep DIR] [--json FILE]

Time is what the compiler itself takes (-O2, to an object file). Repetitions go round all programs, so that noise of the
machine is spread over them; the median is shown. Instantiations are counted by clang's -ftime-trace: they do not vary
from run to run, and show a change that a clock would not. The column "x" is the ratio to the same program with half the
nodes: 2 is linear, 4 is quadratic.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# What the target cotan::cotan passes on to its users, too.
BUDGET = {
    "clang": ["-fconstexpr-steps=100000000"],
    "g++": ["-fconstexpr-ops-limit=1000000000", "-fconstexpr-loop-limit=10000000"],
}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(inputs, lines, loss, wrt, arguments):
    """A model, one function, one call."""
    return "\n".join(
        ["#include <cotan/cotan.hpp>", "#include <xtensor/xtensor.hpp>", "#include <cstdio>", "using namespace cotan;", ""]
        + [f'inline constexpr auto {name} = tensor<double, "{name}", "n">;' for name in inputs]
        + lines
        + [
            f"inline constexpr auto f = function(inputs({', '.join(inputs)}), value_and_grad({loss}, {wrt}));",
            "",
            "int main() {",
        ]
        + [f"    xt::xtensor<double, 1> {name}_data = {values};" for name, values in zip(inputs, arguments)]
        + [
            f"    const auto result = f({', '.join(name + '_data' for name in inputs)});",
            '    std::printf("%.17g\\n", std::get<0>(result));',
            "}",
            "",
        ]
    )


def include():
    return "#include <cotan/cotan.hpp>\nint main() {}\n"


def containers():
    """What xtensor alone costs: the part of every program that is not cotan's."""
    return "#include <xtensor/xtensor.hpp>\nint main() { xt::xtensor<double, 1> x = {1.0, 2.0}; return x(0) > 1; }\n"


def small():
    return program(["x"], [], "sum((c<1.0> - x) / c<2.0>)", "x", ["{0.1, 0.2, 0.3}"])


def model(nodes):
    """Many different operations on two inputs; later steps use earlier ones again. Every step is one node."""
    steps = ["exp({a})", "{a} * x", "sin({a})", "{a} + {b}", "tanh({a})", "{a} * {b}", "log1p(square({a}))", "{a} - y", "{a} / c<3.0>", "sqrt(c<1.0> + square({a}))"]
    lines, names, made = [], ["x", "y"], 0
    while made < nodes:
        step = steps[len(lines) % len(steps)]
        made += {6: 2, 9: 3}.get(len(lines) % len(steps), 1)
        name = f"e{len(lines)}"
        lines.append(f"inline constexpr auto {name} = {step.format(a=names[-1], b=names[len(names) // 2])};")
        names.append(name)
    return program(["x", "y"], lines, f"sum({names[-1]})", "wrt(x, y)", ["{0.1, 0.2, 0.3}", "{0.4, 0.5, 0.6}"])


def chain(nodes):
    """e * x + 1/2 again and again: two nodes a line, and nothing to simplify."""
    lines = ["inline constexpr auto e0 = x * y;"]
    for k in range(1, nodes // 2):
        lines.append(f"inline constexpr auto e{k} = e{k - 1} * {'xy'[k % 2]} + c<0.5>;")
    return program(["x", "y"], lines, f"sum(e{len(lines) - 1})", "wrt(x, y)", ["{0.1, 0.2, 0.3}", "{0.4, 0.5, 0.6}"])


def twice(depth):
    """Each level uses the one before twice: a tree of 2^depth leaves for a compiler that does not see what is shared."""
    lines = ["inline constexpr auto e0 = x * y;"]
    for k in range(1, depth + 1):
        lines.append(f"inline constexpr auto e{k} = sin(e{k - 1}) * e{k - 1};")
    return program(["x", "y"], lines, f"sum(e{depth})", "wrt(x, y)", ["{0.1, 0.2, 0.3}", "{0.4, 0.5, 0.6}"])


CASES = {
    "xtensor alone": containers(),
    "include": include(),
    "sum((1-x)/2)": small(),
    "model 50": model(50),
    **{f"chain {n}": chain(n) for n in (100, 200, 400)},
    **{f"twice {n}": twice(n) for n in (25, 50, 100)},
}


def half(case):
    """The name of the same program with half the nodes."""
    kind, _, size = case.rpartition(" ")
    return f"{kind} {int(size) // 2}" if size.isdigit() else None


def run(command):
    """Wall time, user time and the most memory of one process and its children; None and its words if it fails."""
    with tempfile.TemporaryFile() as words:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=words, stderr=words)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            words.seek(0)
            return None, words.read().decode(errors="replace")
    return {"wall": wall, "user": usage.ru_utime, "memory": usage.ru_maxrss / 1024}, ""


def count(trace):
    """Events of a trace, read in pieces: at full detail it can be hundreds of megabytes."""
    found = {"class": 0, "function": 0}
    patterns = {"class": re.compile(rb'"name":\s*"InstantiateClass"'), "function": re.compile(rb'"name":\s*"InstantiateFunction"')}
    overlap = 64
    rest = b""
    with open(trace, "rb") as file:
        while piece := file.read(1 << 24):
            text = rest + piece
            # What begins in the last bytes is left for the next piece, which begins with them.
            end = len(text) - overlap
            for kind, pattern in patterns.items():
                found[kind] += sum(match.start() < end for match in pattern.finditer(text))
            rest = text[end:] if end > 0 else text
    for kind, pattern in patterns.items():
        found[kind] += len(pattern.findall(rest))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="regular expression: programs to measure")
    parser.add_argument("--compilers", nargs="+", default=["g++", "clang++-19"])
    parser.add_argument("--flags", default=f"-std=c++20 -O2 -I{ROOT / 'include'}", help="replaces the standard flags")
    parser.add_argument("--keep", help="directory for the generated sources")
    parser.add_argument("--json", help="also write all numbers to this file")
    options = parser.parse_args()
    flags = {c: options.flags.split() + BUDGET["clang" if "clang" in c else "g++"] for c in options.compilers}
    cases = {name: text for name, text in CASES.items() if re.search(options.only, name)}
    compilers = [c for c in options.compilers if shutil.which(c) or print(f"{c} is not here", file=sys.stderr)]

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        sources = {}
        for name, text in cases.items():
            sources[name] = folder / (re.sub(r"\W+", "_", name).strip("_") + ".cpp")
            sources[name].write_text(text)
        object_file = str(pathlib.Path(scratch) / "object.o")

        samples = {(name, compiler): [] for name in cases for compiler in compilers}
        failed = set()
        for _ in range(options.repeat):
            for key in samples:
                if key in failed:
                    continue
                name, compiler = key
                sample, words = run([compiler, *flags[compiler], "-c", str(sources[name]), "-o", object_file])
                if sample:
                    samples[key].append(sample)
                else:
                    failed.add(key)
                    print(f"{compiler} refuses {name}:\n" + "\n".join(words.splitlines()[:12]), file=sys.stderr)

        counts = {}
        clang = next((c for c in compilers if "clang" in c), None)
        for name in cases if clang else ():
            if (name, clang) in failed:
                continue
            trace = pathlib.Path(scratch) / "object.json"
            command = [clang, *flags[clang], "-ftime-trace", "-ftime-trace-granularity=0", "-c", str(sources[name]), "-o", object_file]
            if run(command)[0]:
                counts[name] = count(trace)
            trace.unlink(missing_ok=True)

    medians = {
        key: {what: statistics.median(s[what] for s in found) for what in found[0]} for key, found in samples.items() if found
    }

    def ratio(table, name, value):
        before = table(half(name)) if half(name) else None
        return f"{value / before:.1f}" if before else ""

    columns = [f"{c} {what}" for c in compilers for what in ("wall s", "user s", "x", "MB")] + (["classes", "x", "functions", "x"] if clang else [])
    print(f"{'':16}" + "".join(f"{c:>{max(9, len(c) + 2)}}" for c in columns))
    for name in cases:
        cells = []
        for compiler in compilers:
            m = medians.get((name, compiler))
            if not m:
                cells += ["-"] * 4
                continue
            user = lambda other, compiler=compiler: medians.get((other, compiler), {}).get("user")
            cells += [f"{m['wall']:.2f}", f"{m['user']:.2f}", ratio(user, name, m["user"]), f"{m['memory']:.0f}"]
        if clang:
            for kind in ("class", "function"):
                number = counts.get(name, {}).get(kind)
                cells += ["-", ""] if number is None else [str(number), ratio(lambda other: counts.get(other, {}).get(kind), name, number)]
        print(f"{name:16}" + "".join(f"{cell:>{max(9, len(c) + 2)}}" for cell, c in zip(cells, columns)))

    if options.json:
        numbers = {name: {c: medians.get((name, c)) for c in compilers} | {"instantiations": counts.get(name)} for name in cases}
        pathlib.Path(options.json).write_text(json.dumps(numbers, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
