"""Makes every learned file again, in an order in which each script finds the weights that it reads.

Run as `python -m training TRUTH [NAME…]`, TRUTH being the folder that holds train/. It prints how long each script takes.
"""

import subprocess
import sys
from time import perf_counter

# Completion reads reactions and calls. Blame reads everything that the others find.
SCRIPTS = ("rdm", "ccm", "replies", "hallucination", "tool_use", "drift", "completion", "blame")


def main(folder: str, names: list[str]) -> None:
    started = perf_counter()
    for name in names or SCRIPTS:
        begun = perf_counter()
        # A process for each, because a process loads the weights once.
        subprocess.run([sys.executable, "-m", f"training.{name}", folder], check=True)
        print(f"{name}: {perf_counter() - begun:.0f} s", flush=True)
    print(f"all: {perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
