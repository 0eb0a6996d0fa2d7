# SPDX-License-Identifier: Apache-2.0
import json

with open("input.json", "w", encoding="ascii") as file:
    json.dump({"nodes": {"a": {}}, "steps": [{"do": "x"} for _ in range(1000)]}, file, indent=1)
