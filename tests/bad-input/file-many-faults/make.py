# SPDX-License-Identifier: Apache-2.0
import json

with open("input.json", "w", encoding="ascii") as file:
    json.dump({"nodes": {"a": {}}, "faults": [{"point": "link.drop"}] * 40000}, file)
