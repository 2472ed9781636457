"""Import ONNX Runtime with its telemetry turned off.

Since version 1.29 ONNX Runtime stores a device id and usage events, and sends them to its makers, unless a variable of
the environment says otherwise before it is first imported. mderank sends nothing, and neither do its libraries.
"""

from __future__ import annotations

import os
from typing import Any

TELEMETRY_SWITCH = "ORT_DISABLE_TELEMETRY"


def import_onnxruntime() -> Any:
    """Import ONNX Runtime without telemetry.

    A process that has set the variable, or has imported ONNX Runtime before, keeps its own choice of what is stored.
    Events are turned off in any case.

    Returns:
        The module.
    """
    os.environ.setdefault(TELEMETRY_SWITCH, "1")
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
