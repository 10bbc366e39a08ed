"""How a rule says that a parameter has no derivative in closed form."""


def refuses(*names):
    """An engine must refuse these parameters when they are active; see `Operation.extra`."""
    return {"refuses": names}
