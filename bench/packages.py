"""How much a fresh install brings: packages and megabytes, Oldsoul beside other memory systems, in one run.

python -m bench.packages [--systems oldsoul,mem0ai,basic-memory,memsearch]

Each is installed by pip into an environment of its own, Oldsoul from this folder and without extras. Counted is what stands in
its site-packages, without pip and setuptools.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parents[1]
_TOOLS = ("pip", "setuptools", "_distutils_hack", "distutils-precedence.pth", "pkg_resources")


def installed(what: str, folder: Path) -> tuple[int, float]:
    """How many packages it is, and how many megabytes."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([python, "-m", "pip", "install", *quiet, what], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    own = [each for each in site.iterdir() if not each.name.startswith(_TOOLS)]
    files = (file for each in own for file in ([each] if each.is_file() else each.rglob("*")))
    size = sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    return sum(each.suffix == ".dist-info" for each in own), size / 1e6


def main() -> None:
    """Install and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default="oldsoul,mem0ai,basic-memory,memsearch", help="names with commas between")
    print("| system | packages | MB |\n|---|---:|---:|")
    for system in parser.parse_args().systems.split(","):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                count, size = installed(str(HERE) if system == "oldsoul" else system, Path(folder) / "env")
            except subprocess.CalledProcessError as error:
                print(f"{system}: {error}", file=sys.stderr)
                continue
        print(f"| {system} | {count} | {size:.0f} |", flush=True)


if __name__ == "__main__":
    main()
