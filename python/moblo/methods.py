"""Every method of the library as a class whose options are keywords: Forum(inner_steps=20, rho=0.5)."""
from __future__ import annotations

from typing import Any, ClassVar, Dict, Tuple, Union

from . import _native
from ._classes import class_name, make_class, shown
from ._errors import UsageError

_catalogue = _native.catalogue()
_weightings = {info["name"] for info in _catalogue["weightings"]}


class Method:
    """A method with its options: a value that can be compared, pickled and used in any number of runs.

    `options` holds all of them after the check, those with defaults included.
    """

    name: ClassVar[str] = ""

    def __init__(self, **options: Any) -> None:
        if not self.name:
            raise UsageError("Method has no algorithm of its own. Take one of its subclasses, such as moblo.Forum")
        weighting = options.get("weighting")
        if hasattr(weighting, "_as_method"):  # an object instead of its name and options
            options = {**options, "weighting": weighting.name, "weighting_options": weighting._given}
        self._given = options
        self.options: Dict[str, Any] = _native.resolve_method(self.name, options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._given)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and (self.name, self.options) == (other.name, other.options)

    def __hash__(self) -> int:
        return hash((self.name, repr(sorted(self.options.items()))))

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remade, (self.name, self._given)


_classes: Dict[str, type] = {info["name"]: make_class(info, Method, __name__) for info in _catalogue["methods"]}
# A weighting's own class, of weightings.py, is a method too: here stay those that are nothing else.
__all__ = ["method"]
for _name in _classes:
    if _name not in _weightings:
        globals()[class_name(_name)] = _classes[_name]
        __all__.append(class_name(_name))


def method(name: str, **options: Any) -> Method:
    """A method by its name in experiment files: method("upgrad", gradients="representation")."""
    if name not in _classes:
        _native.resolve_method(name, {})  # refuses it, and names the nearest
    return _classes[name](**options)  # type: ignore[no-any-return]


def _remade(name: str, options: Dict[str, Any]) -> Any:
    return _classes[name](**options)


def name_and_options(method: Union[str, Method, Any]) -> Tuple[str, Dict[str, Any]]:
    """Of a Method, of a Weighting (as a method on one level), or of a name with all options at their defaults."""
    if isinstance(method, str):
        return method, {}
    if isinstance(method, Method) or hasattr(method, "_as_method"):
        return method.name, dict(method._given)
    if isinstance(method, type):
        raise UsageError(f"the class {method.__name__} was given as method. Make one of it: {method.__name__}()")
    raise UsageError(f"a {type(method).__name__} was given as method. Give a name (\"forum\") or an object "
                     "(moblo.Forum(rho=0.5))")
