"""The ordinary values: what a proxy must leave alone, where services put it."""


import ordinary_platforms
import ordinary_texts
from ordinary_kinds import Message, Value


def messages() -> list[Message]:
    """All exchanges, each with a target of its own."""
    found = [message for make in ordinary_platforms.APIS + ordinary_texts.TEXTS for message in make()]
    return [numbered(number, message) for number, message in enumerate(found)]


def numbered(number: int, message: Message) -> Message:
    message.target = f"/{number}{message.target}"
    message.title = f"{number} {message.title}"
    return message


def values(exchanges: list[Message]) -> list[Value]:
    """Each value once under each name: repeating it elsewhere does not make it two."""
    found = {(value.name, value.text): value for message in exchanges for value in message.values()}
    return list(found.values())
