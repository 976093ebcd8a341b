"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest

from tests.support import small_tape
from tests.support.command import succeeded, tradebasis

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference facts and real data; tests on it skip where it is absent.

    `TRADEBASIS_SHARED` names it; a relative path counts from the repository's root.
    """
    folder = (REPOSITORY / os.environ.get("TRADEBASIS_SHARED", "../shared")).resolve()
    if not (folder / "METHODS.md").is_file():
        pytest.skip(f"no shared data at {folder}; set TRADEBASIS_SHARED to the folder")
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def tape_build(tmp_path_factory) -> Path:
    """A data folder with the small tape built once; a test that changes it takes a copy."""
    folder = tmp_path_factory.mktemp("small_tape")
    tape = small_tape.write(folder / "tape")
    succeeded(tradebasis("build", "--tape", tape, "--data", folder / "data"))
    return folder / "data"
