# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=file -DOUT=file.c -DNAME=prefix -P EmbedText.cmake
# Writes <prefix>_text (NUL-terminated) and <prefix>_bytes.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "#include <stddef.h>
extern const char ${NAME}_text[];
extern const size_t ${NAME}_bytes;
const char ${NAME}_text[] = {
${bytes}0x00};
const size_t ${NAME}_bytes = sizeof(${NAME}_text) - 1;
")
