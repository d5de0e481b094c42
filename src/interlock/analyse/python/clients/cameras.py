"""Cameras that Python code opens: a number or a device, where a file is only a film."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.marks import mixture

_CAMERA = frozenset({"camera"})


def open_camera(call: PythonCall) -> Any:
    """`cv2.VideoCapture`: report a camera, and return what it records."""
    source = call.argument(0)
    if isinstance(source, int) or (isinstance(source, str) and source.startswith("/dev/video")):
        call.reading.emit("system.read", call.site, call.name, _CAMERA)
    return mixture(call.reading, f"what {call.name} gives", call.arguments, "recording")
