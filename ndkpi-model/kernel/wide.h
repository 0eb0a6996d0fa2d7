/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of ours and UNICODE_STRINGs of drivers. All texts of a scenario are ASCII or UTF-8. */
#ifndef KRN_WIDE_H
#define KRN_WIDE_H

#include <ntddk.h>

#include "kernel.h"

/* A copy in the PRIVATE region, with a NUL behind it. */
void krn_wide_keep(struct sim_world *world, const char *text, UNICODE_STRING *string);
/* As UTF-8, cut to `size`; returns `buffer`. */
const char *krn_wide_text(const UNICODE_STRING *string, char *buffer, size_t size);
const char *krn_wide_buffer_text(const WCHAR *wide, size_t count, char *buffer, size_t size);
/* Writes at most `capacity` units, no NUL; returns how many the whole text needs. */
size_t krn_wide_from_text(const char *text, WCHAR *wide, size_t capacity);
/* Checks the structure and its buffer. */
void krn_wide_check(const struct krn_call *call, const UNICODE_STRING *string, const char *what);
/* Without regard to case of ASCII letters. */
bool krn_text_equal_fold(const char *one, const char *other);

#endif
