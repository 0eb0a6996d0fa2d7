# SPDX-License-Identifier: Apache-2.0
with open("input.json", "wb") as file:
    file.write(bytes((index * index + index // 7) % 256 for index in range(1, 5000)))
