"""What can be wrong with a replay's input."""


class ReplayInputError(ValueError):
    """The events are not the sorted, complete stream that the kernel needs."""


class ReplayOverflow(ArithmeticError):  # noqa: N818 - the condition is the name
    """An amount or a cost passed 38 digits.

    Attributes:
        position_id: the position; the caller knows its wallet and token.
        event_id: the event at which it happened.
    """

    def __init__(self, position_id: int, event_id: int):
        self.position_id = position_id
        self.event_id = event_id
        super().__init__(
            f"position {position_id}, event {event_id}: an amount passes 38 digits; "
            "check the quantity, the decimals and the price of this token"
        )
