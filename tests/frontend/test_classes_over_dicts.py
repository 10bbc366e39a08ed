"""What a class over `dict` outside the function says and holds is asked at each call."""

import adc


class Settings(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def scaled(self, x):
        return self.rate * x


SETTINGS = Settings(rate=2.0)


def loss(x):
    return SETTINGS.scaled(x) + SETTINGS.get("more", 0.0) * x


def test_what_it_holds_may_change_between_calls():
    derivative = adc.grad(loss, mode="python")
    assert derivative(1.0) == 2.0
    SETTINGS["rate"] = 3.0
    assert derivative(1.0) == 3.0
    SETTINGS["more"] = 5.0
    assert derivative(1.0) == 8.0
    del SETTINGS["more"]
    assert derivative(1.0) == 3.0


def test_its_methods_may_change_between_calls(monkeypatch):
    derivative = adc.grad(loss, mode="python")
    rate = SETTINGS["rate"]
    assert derivative(1.0) == rate
    monkeypatch.setattr(Settings, "scaled", lambda self, x: 7.0 * x)
    assert derivative(1.0) == 7.0
