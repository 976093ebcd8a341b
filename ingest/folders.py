"""Folders that change as a whole: a reader sees the old contents or the new, never a mixture."""

import shutil
from pathlib import Path


def scratch_beside(target: Path) -> Path:
    """Make an empty folder beside `target` in which its next contents are written."""
    scratch = target.with_name(f".{target.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    return scratch


def replace_folder(fresh: Path, target: Path) -> None:
    """Put `fresh` in the place of `target` by rename; files only the old folder had vanish.

    The old contents stay beside until the new ones stand, so a kill between the two renames
    loses nothing: `recover_folder` puts them back.
    """
    recover_folder(target)
    old = _set_aside(target)
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(target: Path) -> None:
    """Undo a replacement that was killed half-way: the old contents return."""
    old = _set_aside(target)
    if old.exists() and not target.exists():
        old.rename(target)


def _set_aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")
