# SPDX-License-Identifier: Apache-2.0
with open("input.json", "wb") as file:
    file.write(b'{\n  "name": "caf\xe9",\n  "nodes": {"client": {}}\n}\n')
