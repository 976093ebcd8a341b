from datetime import UTC, datetime

import pytest

from dagster_project.lib.moments import parse_moment
from ingest.errors import InputError

NOON = datetime(2025, 1, 31, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-31T12:00:00Z",
        "2025-01-31 12:00:00",
        "2025-01-31T12:00:00.999999Z",
        "2025-01-31T13:30:00+01:30",
        "1738324800",
        " 1738324800 ",
    ],
)
def test_the_same_moment_in_every_spelling(text):
    assert parse_moment(text) == NOON


def test_a_date_alone_is_its_midnight():
    assert parse_moment("2025-01-31") == datetime(2025, 1, 31, tzinfo=UTC)


def test_moments_outside_the_data_are_allowed():
    assert parse_moment("0") == datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_moment("2999-12-31") == datetime(2999, 12, 31, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "yesterday", "2025-13-01", "1738324800000", "2025-01-31T25"])
def test_what_is_no_moment_is_refused_with_an_example(text):
    with pytest.raises(InputError, match="2025-01-31T12:00:00Z"):
        parse_moment(text)
