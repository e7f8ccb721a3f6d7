"""The built-in problems, by name: moblo.problems.hyper_cleaning(seed=0). Options as in an experiment file."""
from __future__ import annotations

from typing import Any, Callable, Dict, List

from . import _native
from ._classes import documentation


def _maker(info: Dict[str, Any]) -> Callable[..., _native.AnyProblem]:
    def make(seed: int = 0, **options: Any) -> _native.AnyProblem:
        return _native.make_problem(info["name"], options, seed)

    make.__name__ = make.__qualname__ = info["name"]
    make.__doc__ = documentation(info)
    return make


__all__: List[str] = []
for _info in _native.catalogue()["problems"]:
    globals()[_info["name"]] = _maker(_info)
    __all__.append(_info["name"])
