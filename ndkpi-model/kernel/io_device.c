/* SPDX-License-Identifier: Apache-2.0 */
/* Device objects, their names and links. */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"
#include "io_object.h"
#include "pool.h"
#include "wide.h"

#define DEVICE_TAG 0x69766544u /* Devi */

struct krn_link {
    struct krn_link *next;
    const char *name;
    const char *target;
    bool is_deleted;
};

struct krn_driver_extension {
    struct krn_driver_extension *next;
    PVOID identification;
    PVOID block;
};

/* "\\Device\\Foo", "\\DosDevices\\Foo", "\\??\\Foo" and "Foo" speak of the same last name. */
static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '\\');

    return slash != NULL ? slash + 1 : path;
}

struct krn_device *krn_device_of(const struct krn_node *node, const void *device_object) {
    struct krn_device *device = node->device_first;

    while (device != NULL && (device->is_deleted || device->device_object != device_object)) {
        device = device->next;
    }
    return device;
}

static struct krn_device *by_name(const struct krn_node *node, const char *name) {
    struct krn_device *device = node->device_first;

    while (device != NULL && (device->is_deleted || device->name[0] == '\0' ||
                              !krn_text_equal_fold(last_name(device->name), last_name(name)))) {
        device = device->next;
    }
    return device;
}

static struct krn_link *link_find(const struct krn_node *node, const char *name) {
    struct krn_link *link = node->link_first;

    while (link != NULL &&
           (link->is_deleted || !krn_text_equal_fold(last_name(link->name), last_name(name)))) {
        link = link->next;
    }
    return link;
}

struct krn_device *krn_device_find(const struct krn_node *node, const char *name) {
    struct krn_device *device = by_name(node, name);
    const struct krn_link *link = link_find(node, name);

    if (device == NULL && link != NULL) {
        device = by_name(node, link->target);
    }
    return device;
}

const char *krn_driver_device(const struct krn_driver *driver) {
    const struct krn_device *device = driver->node->device_first;

    while (device != NULL &&
           (device->is_deleted || device->driver != driver || device->name[0] == '\0')) {
        device = device->next;
    }
    return device != NULL ? device->name : driver->name;
}

const struct krn_device *krn_device_left(const struct krn_driver *driver) {
    const struct krn_device *device = driver->node->device_first;

    while (device != NULL && (device->is_deleted || device->driver != driver)) {
        device = device->next;
    }
    return device;
}

struct krn_driver *krn_io_object_driver(const struct krn_call *call, const void *io_object) {
    struct krn_driver *driver = krn_driver_of_driver_object(call->krn, io_object);
    const struct krn_device *device;

    if (driver != NULL) {
        return driver;
    }
    device = krn_device_of(call->node, io_object);
    if (device == NULL) {
        krn_bad_pointer(call, io_object, "device or driver object");
    }
    return device->driver;
}

static void device_append(struct krn_node *node, struct krn_device *device) {
    if (node->device_last != NULL) {
        node->device_last->next = device;
    } else {
        node->device_first = device;
    }
    node->device_last = device;
}

static DEVICE_OBJECT *device_object_make(const struct krn_call *call, struct krn_driver *driver,
                                         ULONG extension_bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .driver = driver,
        .bytes = sizeof(DEVICE_OBJECT) + extension_bytes,
        .tag = DEVICE_TAG,
        .kind = KRN_POOL_KERNEL,
        .zero = true,
    };
    DEVICE_OBJECT *object = krn_pool_take(&request);

    if (object == NULL) {
        return NULL;
    }
    object->Type = 3;
    object->Size = (USHORT)(sizeof(*object) + extension_bytes);
    object->DriverObject = &driver->driver_object;
    object->DeviceExtension = extension_bytes != 0 ? object + 1 : NULL;
    object->StackSize = 1;
    object->Flags = DO_DEVICE_INITIALIZING;
    object->NextDevice = driver->driver_object.DeviceObject;
    driver->driver_object.DeviceObject = object;
    return object;
}

NTSTATUS NTAPI IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                              PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
                              ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                              PDEVICE_OBJECT *DeviceObject) {
    KRN_CALL(APC_LEVEL);
    struct krn_driver *driver = krn_driver_of_driver_object(call.krn, DriverObject);
    struct krn_device *device;
    char name[256] = "";

    if (driver == NULL) {
        krn_bad_pointer(&call, DriverObject, "driver object");
    }
    krn_check_memory(&call, DeviceObject, sizeof(*DeviceObject), "device object pointer");
    *DeviceObject = NULL;
    if (DeviceName != NULL) {
        krn_wide_check(&call, DeviceName, "device name");
        krn_wide_text(DeviceName, name, sizeof(name));
    }
    krn_call_point(&call, &driver->object, SIM_ACCESS_CREATE);
    if (name[0] != '\0' && by_name(call.node, name) != NULL) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    if (sim_fault_hit(call.world, &krn_fault_device, &driver->object, NULL)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    device = sim_alloc(call.world, sizeof(*device));
    device->device_object = device_object_make(&call, driver, DeviceExtensionSize);
    if (device->device_object == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    device->driver = driver;
    krn_site_keep_here(call.world, &device->made);
    device->name = sim_text_keep(call.world, name);
    device->device_object->DeviceType = DeviceType;
    device->device_object->Characteristics = DeviceCharacteristics;
    device->device_object->Flags |= Exclusive ? DO_EXCLUSIVE : 0;
    sim_object_init(call.world, &device->object, &driver->object, "device", SIM_NAME_INDEXED);
    device_append(call.node, device);
    sim_trace(call.world, KRN_TRACE_DEVICE_CREATE, SIM_ACCESS_CREATE, &device->object, NULL, NULL,
              0, 0);
    *DeviceObject = device->device_object;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoCreateDeviceSecure(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
                                    PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
                                    ULONG DeviceCharacteristics, BOOLEAN Exclusive,
                                    PCUNICODE_STRING DefaultSDDLString, LPCGUID DeviceClassGuid,
                                    PDEVICE_OBJECT *DeviceObject) {
    UNREFERENCED_PARAMETER(DefaultSDDLString);
    UNREFERENCED_PARAMETER(DeviceClassGuid);
    return IoCreateDevice(DriverObject, DeviceExtensionSize, DeviceName, DeviceType,
                          DeviceCharacteristics, Exclusive, DeviceObject);
}

VOID NTAPI IoDeleteDevice(PDEVICE_OBJECT DeviceObject) {
    KRN_CALL(APC_LEVEL);
    struct krn_device *device = krn_device_of(call.node, DeviceObject);
    DEVICE_OBJECT **link;

    if (device == NULL) {
        krn_bad_pointer(&call, DeviceObject, "device object");
    }
    krn_call_point(&call, &device->object, SIM_ACCESS_CLOSE);
    device = krn_device_of(call.node, DeviceObject);
    if (device == NULL) {
        krn_bad_pointer(&call, DeviceObject, "device object");
    }
    if (DeviceObject->ReferenceCount != 0) {
        krn_call_error(&call, 0x36, 0, (ULONG)DeviceObject->ReferenceCount,
                       "the device has open handles or requests");
    }
    link = &device->driver->driver_object.DeviceObject;
    while (*link != NULL && *link != DeviceObject) {
        link = &(*link)->NextDevice;
    }
    if (*link != NULL) {
        *link = DeviceObject->NextDevice;
    }
    device->is_deleted = true;
    device->object.closed = true;
    sim_trace(call.world, KRN_TRACE_DEVICE_DELETE, SIM_ACCESS_CLOSE, &device->object, NULL, NULL, 0,
              0);
    krn_pool_give(&call, DeviceObject);
}

NTSTATUS NTAPI IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName, PUNICODE_STRING DeviceName) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_link *link;
    char name[256];
    char target[256];

    krn_wide_check(&call, SymbolicLinkName, "link name");
    krn_wide_check(&call, DeviceName, "device name");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    krn_wide_text(SymbolicLinkName, name, sizeof(name));
    if (link_find(call.node, name) != NULL) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    link = sim_alloc(call.world, sizeof(*link));
    link->name = sim_text_keep(call.world, name);
    link->target = sim_text_keep(call.world, krn_wide_text(DeviceName, target, sizeof(target)));
    link->next = call.node->link_first;
    call.node->link_first = link;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_link *link;
    char name[256];

    krn_wide_check(&call, SymbolicLinkName, "link name");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    link = link_find(call.node, krn_wide_text(SymbolicLinkName, name, sizeof(name)));
    if (link == NULL) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    link->is_deleted = true;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoGetDeviceObjectPointer(PUNICODE_STRING ObjectName, ACCESS_MASK DesiredAccess,
                                        PFILE_OBJECT *FileObject, PDEVICE_OBJECT *DeviceObject) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_device *device;
    char name[256];

    UNREFERENCED_PARAMETER(DesiredAccess);
    krn_wide_check(&call, ObjectName, "object name");
    krn_check_memory(&call, DeviceObject, sizeof(*DeviceObject), "device object pointer");
    krn_check_memory(&call, FileObject, sizeof(*FileObject), "file object pointer");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    *FileObject = NULL;
    device = krn_device_find(call.node, krn_wide_text(ObjectName, name, sizeof(name)));
    *DeviceObject = device != NULL ? device->device_object : NULL;
    return device != NULL ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI IoAllocateDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                               PVOID ClientIdentificationAddress,
                                               ULONG DriverObjectExtensionSize,
                                               PVOID *DriverObjectExtension) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_driver *driver = krn_driver_of_driver_object(call.krn, DriverObject);
    struct krn_driver_extension *extension;

    if (driver == NULL) {
        krn_bad_pointer(&call, DriverObject, "driver object");
    }
    krn_check_memory(&call, DriverObjectExtension, sizeof(PVOID), "extension pointer");
    if (IoGetDriverObjectExtension(DriverObject, ClientIdentificationAddress) != NULL) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    extension = sim_alloc(call.world, sizeof(*extension));
    extension->identification = ClientIdentificationAddress;
    /* Freed with the driver object, so never a leak of the driver's. */
    extension->block = sim_alloc(call.world, DriverObjectExtensionSize);
    extension->next = driver->extensions;
    driver->extensions = extension;
    *DriverObjectExtension = extension->block;
    return STATUS_SUCCESS;
}

PVOID NTAPI IoGetDriverObjectExtension(PDRIVER_OBJECT DriverObject,
                                       PVOID ClientIdentificationAddress) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_driver *driver = krn_driver_of_driver_object(call.krn, DriverObject);
    const struct krn_driver_extension *extension;

    if (driver == NULL) {
        krn_bad_pointer(&call, DriverObject, "driver object");
    }
    extension = driver->extensions;
    while (extension != NULL && extension->identification != ClientIdentificationAddress) {
        extension = extension->next;
    }
    return extension != NULL ? extension->block : NULL;
}
