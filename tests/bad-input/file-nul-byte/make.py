# SPDX-License-Identifier: Apache-2.0
with open("input.json", "wb") as file:
    file.write(b'{\n  "nodes": {"client": {}}\0\n}\n')
