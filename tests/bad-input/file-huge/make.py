# SPDX-License-Identifier: Apache-2.0
with open("input.json", "w", encoding="ascii") as file:
    file.write('{"nodes": {"client": {}}, "about": "' + "x" * (17 << 20) + '"}')
