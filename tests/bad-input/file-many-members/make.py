# SPDX-License-Identifier: Apache-2.0
import json

with open("input.json", "w", encoding="ascii") as file:
    json.dump({f"n{index}": index for index in range(2000)}, file)
