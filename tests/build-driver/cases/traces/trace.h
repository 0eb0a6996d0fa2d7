/* SPDX-License-Identifier: Apache-2.0 */
#define LEVEL_INFO 4
#define FLAG_INIT 1
/*
begin_wpp config
FUNC TraceEvents(LEVEL, FLAGS, MSG, ...);
FUNC TraceError{LEVEL=2, FLAGS=FLAG_INIT}(MSG, ...);
end_wpp
*/
