# SPDX-License-Identifier: Apache-2.0
import json

with open("input.json", "w", encoding="ascii") as file:
    json.dump({"nodes": {f"n{index}": {} for index in range(65)}}, file)
