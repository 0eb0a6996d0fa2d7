/* SPDX-License-Identifier: Apache-2.0 */
/* Character classes of ASCII. */
#ifndef NDKSIM_WDK_CRT_CTYPE_H
#define NDKSIM_WDK_CRT_CTYPE_H

#define isdigit(c) ((c) >= '0' && (c) <= '9')
#define isupper(c) ((c) >= 'A' && (c) <= 'Z')
#define islower(c) ((c) >= 'a' && (c) <= 'z')
#define isalpha(c) (isupper(c) || islower(c))
#define isalnum(c) (isalpha(c) || isdigit(c))
#define isspace(c) ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define isxdigit(c) (isdigit(c) || ((c) >= 'a' && (c) <= 'f') || ((c) >= 'A' && (c) <= 'F'))
#define isprint(c) ((c) >= ' ' && (c) <= '~')
#define toupper(c) (islower(c) ? (c)-32 : (c))
#define tolower(c) (isupper(c) ? (c) + 32 : (c))

#endif
