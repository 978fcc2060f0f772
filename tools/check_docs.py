#!/usr/bin/env python3
"""Checks that the code shown in the documentation is code that is compiled.

A block in a Markdown file that follows a line

    <!-- snippet: examples/readme.cpp#call -->

must equal the lines between `// snippet: call` and the next `// end` of that file, less their common indentation.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = re.compile(r"^<!-- snippet: ", re.MULTILINE)
BLOCK = re.compile(r"^<!-- snippet: (\S+)#(\S+) -->\n+```cpp\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def snippet(path, name):
    """The text of a named snippet, or None."""
    if not path.is_file():
        return None
    lines = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() == f"// snippet: {name}":
            lines = []
        elif lines is not None and line.strip() == "// end":
            return textwrap.dedent("\n".join(lines)).strip("\n")
        elif lines is not None:
            lines.append(line)
    return None


def main():
    checked, wrong = 0, []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        text = page.read_text(encoding="utf-8")
        blocks = list(BLOCK.finditer(text))
        checked += len(blocks)
        where = page.relative_to(ROOT)
        if len(blocks) != len(MARKER.findall(text)):
            wrong.append(f"{where}: a snippet marker without a ```cpp block after it")
        for block in blocks:
            source, name, shown = block.groups()
            line = text.count("\n", 0, block.start()) + 1
            real = snippet(ROOT / source, name)
            if real is None:
                wrong.append(f"{where}:{line}: {source} has no snippet '{name}'")
            elif real != shown.strip("\n"):
                wrong.append(f"{where}:{line}: differs from {source}#{name}, which is\n{real}")
    print("\n".join(wrong) if wrong else f"{checked} snippets are what is compiled")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
