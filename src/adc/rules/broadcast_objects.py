"""np.broadcast made in a program: a plain object that knows the shape to which its operands are stretched."""

import numpy as np

from adc.rules import registry


class Broadcast:
    """`np.broadcast(x, y)`: what is asked of it is its shape."""

    __adc_model__ = True

    def __init__(self, *args):
        self.shape = np.shape(args[0])
        for x in args[1:]:
            self.shape = np.broadcast_shapes(self.shape, np.shape(x))
        self.ndim = self.nd = len(self.shape)
        self.numiter = len(args)

    @property
    def size(self):
        total = 1
        for n in self.shape:
            total = total * n
        return total


registry.stands_for(np.broadcast, Broadcast)
