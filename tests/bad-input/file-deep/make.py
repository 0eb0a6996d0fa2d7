# SPDX-License-Identifier: Apache-2.0
with open("input.json", "w", encoding="ascii") as file:
    file.write("[" * 100000 + "]" * 100000)
