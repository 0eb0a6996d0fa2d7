# SPDX-License-Identifier: Apache-2.0
"""A scenario that is a pipe nobody writes to, and one that extends it."""
import json
import os

os.mkfifo("pipe")
with open("input.json", "w", encoding="utf-8") as file:
    json.dump({"extends": "pipe"}, file)
