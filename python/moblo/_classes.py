"""Classes made from the library's own tables of options, so that names, ranges and help are written once."""
from __future__ import annotations

import inspect
import keyword
from typing import Any, Dict, List

# As the papers write them, where that is not the name with a capital.
SPELLINGS = {
    "moml": "MOML", "moco": "MoCo", "bome": "BOME", "bvfim": "BVFIM", "autolambda": "AutoLambda", "nsga2": "NSGA2",
    "wc_mhgd": "WCMHGD", "f2sa": "F2SA", "gmoba": "GMOBA", "morbit": "MORBiT", "wc_penalty": "WCPenalty",
    "tpe": "TPE", "stl": "STL", "ew": "EW", "uw": "UW", "rlw": "RLW", "mgda": "MGDA", "pcgrad": "PCGrad",
    "graddrop": "GradDrop", "gradvac": "GradVac", "cagrad": "CAGrad", "imtl": "IMTL", "nashmtl": "NashMTL",
    "dwa": "DWA", "gls": "GLS", "gradnorm": "GradNorm", "aligned": "AlignedMTL", "dbmtl": "DBMTL", "stch": "STCH",
    "excess": "ExcessMTL", "fairgrad": "FairGrad", "famo": "FAMO", "modo": "MoDo", "sdmgrad": "SDMGrad",
    "upgrad": "UPGrad", "dualproj": "DualProj", "config": "ConFIG",
}


def class_name(name: str) -> str:
    return SPELLINGS.get(name, name.replace("_", " ").title().replace(" ", ""))


def argument_name(key: str) -> str:
    """`lambda` is a word of Python's: such options are written with an underscore behind them."""
    return key + "_" if keyword.iskeyword(key) else key


def top_level(fields: List[Dict[str, Any]]) -> Dict[str, List[Dict[str, Any]]]:
    """Fields by the first word of their keys: an option, or a table of several."""
    groups: Dict[str, List[Dict[str, Any]]] = {}
    for field in fields:
        groups.setdefault(field["key"].split(".")[0], []).append(field)
    return groups


def documentation(info: Dict[str, Any]) -> str:
    lines = [f"{info['summary'][:1].upper()}{info['summary'][1:]}.", ""]
    if info.get("reference"):
        lines += [info["reference"], ""]
    lines.append("Options:" if info["fields"] else "It has no options.")
    for field in info["fields"]:
        allowed = field["type"] + (f", {field['range']}" if field["range"] else "")
        lines.append(f"    {argument_name(field['key'])} ({allowed}; {field['default']!r}): {field['help']}")
    return "\n".join(lines)


def signature(fields: List[Dict[str, Any]]) -> inspect.Signature:
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for key, group in top_level(fields).items():
        default = group[0]["default"] if len(group) == 1 else None
        parameters.append(inspect.Parameter(argument_name(key), inspect.Parameter.KEYWORD_ONLY, default=default))
    return inspect.Signature(parameters)


def make_class(info: Dict[str, Any], base: type, module: str) -> type:
    """A subclass whose constructor takes the options as keywords."""

    reserved = {argument_name(key): key for key in top_level(info["fields"]) if keyword.iskeyword(key)}

    def __init__(self: Any, **options: Any) -> None:
        base.__init__(self, **{reserved.get(key, key): value for key, value in options.items()})  # type: ignore[misc]

    __init__.__signature__ = signature(info["fields"])  # type: ignore[attr-defined]
    return type(class_name(info["name"]), (base,),
                {"__init__": __init__, "__doc__": documentation(info), "__module__": module, "name": info["name"]})


def shown(options: Dict[str, Any]) -> str:
    return ", ".join(f"{argument_name(key)}={value!r}" for key, value in options.items())
