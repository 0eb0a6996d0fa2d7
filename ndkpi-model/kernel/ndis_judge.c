/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's word to the verifier that a rule of NDIS or WSK was broken; see ndis_judge.h. */
#include "ndis_judge.h"

#include <stdarg.h>
#include <stdio.h>

#include <krn/ndk.h>

#include "adapter.h"
#include "driver_state.h"

static void tell(struct krn_driver *driver, struct sim_object *subject,
                 const struct sim_kept_site *made, const char *rule, const char *format,
                 va_list arguments) {
    struct krn_world *krn = driver->node->krn;
    char sentence[256];

    if (krn->interposer == NULL || krn->interposer->broken == NULL) {
        return;
    }
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    krn->interposer->broken(krn->world, rule, driver, subject, made, sentence);
}

void krn_adapter_broken(struct krn_adapter *adapter, const char *rule, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    tell(adapter->miniport->driver, &adapter->object, NULL, rule, format, arguments);
    va_end(arguments);
}

void krn_driver_broken(struct krn_driver *driver, struct sim_object *subject, const char *rule,
                       const char *format, ...) {
    va_list arguments;

    if (driver == NULL) {
        return;
    }
    va_start(arguments, format);
    tell(driver, subject != NULL ? subject : &driver->object, NULL, rule, format, arguments);
    va_end(arguments);
}

void krn_wsk_broken(struct krn_driver *driver, struct sim_object *subject,
                    const struct sim_kept_site *made, const char *rule, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    tell(driver, subject, made, rule, format, arguments);
    va_end(arguments);
}
