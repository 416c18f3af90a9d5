"""`wholepage exam continue RUN` as a process of its own, with the stand-in's provider loaded before it begins.

Usage: python exam_cli.py RUN CONNECTIONS
"""

import sys

import inspect_ai.model._providers.openai_compatible  # noqa: F401 - loaded first, so that signals meet calls

from wholepage.cli import main

if __name__ == "__main__":
    sys.argv = ["wholepage", "exam", "continue", sys.argv[1], "--connections", sys.argv[2]]
    main()
