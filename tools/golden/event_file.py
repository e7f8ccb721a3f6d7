#!/usr/bin/python3
"""Writes tests/golden/event_file.json: records of a TensorBoard event file, encoded by Google's protobuf library.

The messages are declared from the published tensorflow.Event and tensorflow.Summary (field numbers and types); the
checksum is CRC-32C bit by bit as RFC 3720 defines it. No code shared with the library.  Needs python3-protobuf; run by
hand, the tests only read the result.
"""
import json
import pathlib
import struct

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

F = descriptor_pb2.FieldDescriptorProto


def declare():
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="t", syntax="proto3")

    def message(name, fields):
        m = file.message_type.add(name=name)
        for field, number, kind, *of in fields:
            repeated = "*" in of
            f = m.field.add(name=field, number=number, type=kind, label=F.LABEL_REPEATED if repeated else F.LABEL_OPTIONAL)
            if kind == F.TYPE_MESSAGE:
                f.type_name = ".t." + of[0]

    message("Image", [("height", 1, F.TYPE_INT32), ("width", 2, F.TYPE_INT32), ("colorspace", 3, F.TYPE_INT32),
                      ("encoded_image_string", 4, F.TYPE_BYTES)])
    message("Value", [("tag", 1, F.TYPE_STRING), ("simple_value", 2, F.TYPE_FLOAT), ("image", 4, F.TYPE_MESSAGE, "Image")])
    message("Summary", [("value", 1, F.TYPE_MESSAGE, "Value", "*")])
    message("SessionLog", [("status", 1, F.TYPE_INT32)])
    message("Event", [("wall_time", 1, F.TYPE_DOUBLE), ("step", 2, F.TYPE_INT64), ("file_version", 3, F.TYPE_STRING),
                      ("summary", 5, F.TYPE_MESSAGE, "Summary"), ("session_log", 7, F.TYPE_MESSAGE, "SessionLog")])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    get = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return get(pool.FindMessageTypeByName("t.Event"))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def main():
    assert crc32c(b"123456789") == 0xE3069283  # the check value of the CRC catalogue
    event = declare()
    version = event(wall_time=1.5e9, file_version="brain.Event:2")
    start = event(wall_time=1.5e9, step=300)
    start.session_log.status = 1
    scalars = event(wall_time=1700000000.25, step=123456789012)
    for tag, value in (("losses/F1", 0.5), ("weights/λ1", -1e-30), ("stationarity/K", float("inf"))):
        scalars.summary.value.add(tag=tag, simple_value=value)
    image = event(wall_time=1700000001, step=7)
    value = image.summary.value.add(tag="suspects/mnist/1")
    value.image.height, value.image.width, value.image.colorspace = 28, 300, 1
    value.image.encoded_image_string = bytes(range(256))
    out = {name: record(message.SerializeToString()).hex()
           for name, message in (("version", version), ("start", start), ("scalars", scalars), ("image", image))}
    path = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/event_file.json"
    path.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
