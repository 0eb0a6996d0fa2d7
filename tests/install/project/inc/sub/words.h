/* SPDX-License-Identifier: Apache-2.0 */
#define WORDS "hello from another project"
/* A guard in a header counts for who includes it. */
#define GUARDED(Statement, Code)                                                                   \
    __try {                                                                                        \
        Statement;                                                                                 \
    } __except (EXCEPTION_EXECUTE_HANDLER) {                                                       \
        Code = GetExceptionCode();                                                                 \
    }
