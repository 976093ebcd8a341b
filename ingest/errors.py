"""Errors that a user can mend."""


class InputError(Exception):
    """Something outside the program is wrong: a file, a row, a setting, a seed.

    The message is one line that says what is wrong, where (file, row, wallet, transaction) and
    how to mend it; the command prints it as it stands, without a traceback. Line breaks and
    control characters that came in with hostile input are made visible instead of printed.
    """

    def __init__(self, message: str) -> None:
        """Keep `message` as one printable line."""
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in message))
