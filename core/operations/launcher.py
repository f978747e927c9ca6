"""The home launcher and its runtime, as an operation shows what happened to them."""

from __future__ import annotations

from ..changes.model import Change
from .context import Context


def ensure_launcher(context: Context, *, force: bool = False) -> tuple[Change, ...]:
    """Make launcher and runtime what the running installation is. Raises :class:`RuntimeBuildError`."""
    from ..runtime.builder import refresh

    context.progress(0, 1, "making the launcher")
    done = refresh(context.data_root, environment=context.machine.env, force=force)
    changes = [Change("", "runtime", "warn", warning) for warning in done.warnings]
    if done.runtime.built:
        text = f"runtime {done.runtime.name}"
        changes.append(Change("", "runtime", "create", text, str(done.runtime.path)))
    if done.launcher_changed:
        changes.append(Change("", "runtime", "update", "launcher", str(done.launcher)))
    return tuple(changes)


def remove_launcher(context: Context) -> None:
    """Take away what hosts start, once nothing in any host leads to it. State, backups and logs stay."""
    from ..runtime.builder import remove_runtime

    remove_runtime(context.data_root)
