/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a node's registry. */
#include "registry.h"

#include <string.h>

#include "wide.h"

static struct krn_registry_key *child_find(const struct krn_registry_key *key, const char *name) {
    struct krn_registry_key *child = key->child_first;

    while (child != NULL && (child->is_deleted || !krn_text_equal_fold(child->name, name))) {
        child = child->next;
    }
    return child;
}

static struct krn_registry_key *child_make(struct krn_node *node, struct krn_registry_key *key,
                                           const char *name) {
    struct krn_registry_key *child = sim_alloc(node->world, sizeof(*child));

    child->parent = key;
    child->name = sim_text_keep(node->world, name);
    if (key->child_last != NULL) {
        key->child_last->next = child;
    } else {
        key->child_first = child;
    }
    key->child_last = child;
    return child;
}

/* The next name of a path; false at its end. */
static bool path_next(const char **path, char name[KRN_REGISTRY_NAME_BYTES]) {
    size_t length;

    *path += strspn(*path, "\\");
    length = strcspn(*path, "\\");
    if (length == 0) {
        return false;
    }
    if (length >= KRN_REGISTRY_NAME_BYTES) {
        length = KRN_REGISTRY_NAME_BYTES - 1;
    }
    memcpy(name, *path, length);
    name[length] = '\0';
    *path += length;
    return true;
}

struct krn_registry_key *krn_registry_find(struct krn_node *node, struct krn_registry_key *from,
                                           const char *path, bool create, bool *created) {
    struct krn_registry_key *key = from != NULL ? from : node->registry;
    char name[KRN_REGISTRY_NAME_BYTES];

    if (created != NULL) {
        *created = false;
    }
    while (key != NULL && path_next(&path, name)) {
        struct krn_registry_key *child = child_find(key, name);

        if (child == NULL && create) {
            child = child_make(node, key, name);
            if (created != NULL) {
                *created = true;
            }
        }
        key = child;
    }
    return key;
}

void krn_registry_init(struct krn_node *node) {
    node->registry = sim_alloc(node->world, sizeof(*node->registry));
    node->registry->name = "";
    (void)krn_registry_find(node, NULL, KRN_SERVICES_PATH, true, NULL);
}

struct krn_registry_value *krn_registry_value(const struct krn_registry_key *key,
                                              const char *name) {
    struct krn_registry_value *value = key->value_first;

    while (value != NULL && !krn_text_equal_fold(value->name, name)) {
        value = value->next;
    }
    return value;
}

void krn_registry_set(struct krn_node *node, struct krn_registry_key *key, const char *name,
                      uint32_t type, const void *data, uint32_t bytes) {
    struct krn_registry_value *value = krn_registry_value(key, name);

    if (value == NULL) {
        value = sim_alloc(node->world, sizeof(*value));
        value->name = sim_text_keep(node->world, name);
        if (key->value_last != NULL) {
            key->value_last->next = value;
        } else {
            key->value_first = value;
        }
        key->value_last = value;
    } else if (value->bytes != 0) {
        sim_free(node->world, value->data, value->bytes);
    }
    value->type = type;
    value->bytes = bytes;
    value->data = NULL;
    if (bytes != 0) {
        value->data = sim_alloc(node->world, bytes);
        memcpy(value->data, data, bytes);
    }
}

bool krn_registry_unset(struct krn_node *node, struct krn_registry_key *key, const char *name) {
    struct krn_registry_value *previous = NULL;
    struct krn_registry_value *value = key->value_first;

    while (value != NULL && !krn_text_equal_fold(value->name, name)) {
        previous = value;
        value = value->next;
    }
    if (value == NULL) {
        return false;
    }
    if (previous != NULL) {
        previous->next = value->next;
    } else {
        key->value_first = value->next;
    }
    if (key->value_last == value) {
        key->value_last = previous;
    }
    if (value->bytes != 0) {
        sim_free(node->world, value->data, value->bytes);
    }
    sim_free(node->world, value, sizeof(*value));
    return true;
}

static uint32_t digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint32_t)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (uint32_t)(c - 'A') + 10;
    }
    return UINT32_MAX;
}

bool krn_number_of(const char *text, uint64_t *number) {
    uint32_t base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    uint64_t value = 0;

    text += base == 16 ? 2 : 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        uint32_t digit = digit_of(*text);

        if (digit >= base || value > (UINT64_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *number = value;
    return true;
}

void krn_registry_set_text(struct krn_node *node, struct krn_registry_key *key, const char *name,
                           const char *text) {
    UNICODE_STRING wide;
    uint64_t number;

    if (krn_number_of(text, &number)) {
        uint32_t low = (uint32_t)number;

        if (number <= UINT32_MAX) {
            krn_registry_set(node, key, name, REG_DWORD, &low, sizeof(low));
        } else {
            krn_registry_set(node, key, name, REG_QWORD, &number, sizeof(number));
        }
        return;
    }
    krn_wide_keep(node->world, text, &wide);
    krn_registry_set(node, key, name, REG_SZ, wide.Buffer, wide.MaximumLength);
}

struct krn_registry_key *krn_registry_parameters(struct krn_node *node, const char *driver_name) {
    struct krn_registry_key *key = krn_registry_find(node, NULL, KRN_SERVICES_PATH, true, NULL);

    key = krn_registry_find(node, key, driver_name, true, NULL);
    return krn_registry_find(node, key, "Parameters", true, NULL);
}

void krn_registry_service(struct krn_node *node, const char *name, const struct krn_keyword *values,
                          size_t count) {
    struct krn_registry_key *parameters = krn_registry_parameters(node, name);

    for (size_t i = 0; i < count; i++) {
        krn_registry_set_text(node, parameters, values[i].name, values[i].value);
    }
}
