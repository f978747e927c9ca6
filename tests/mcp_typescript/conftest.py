"""The TypeScript client comes from the same cache as the real hosts."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "real_hosts"))
