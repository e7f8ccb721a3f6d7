# Written by tools/python_stubs; do not edit.
from typing import Any, ClassVar, Dict, Iterable, Literal, Mapping, Optional, Sequence, Tuple, Union

__all__ = ["method", "Forum", "MOML", "MoCo", "WCMHGD", "BOME", "BVFIM", "AutoLambda", "F2SA", "GMOBA", "MORBiT",
        "WCPenalty", "ForumSingle", "NSGA2", "TPE", "STL"]

class Method:
    name: ClassVar[str]
    options: Dict[str, Any]
    _given: Dict[str, Any]
    def __init__(self, **options: Any) -> None: ...

def method(name: str, **options: Any) -> Method: ...
def name_and_options(method: Union[str, Method, Any]) -> Tuple[str, Dict[str, Any]]: ...

class Forum(Method):
    def __init__(self, *, profile: Literal["paper", "reference"] = ..., inner_steps: int = ...,
            inner_step_size: float = ..., rho: float = ..., beta_exponent: float = ..., beta_scale: float = ...,
            beta_clock: Literal["iteration", "epoch"] = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ..., upper_data: Literal["upper", "lower"] = ...,
            upper_gradients: Literal["raw", "unit"] = ..., upper_alpha_gradient: bool = ...,
            multiplier: Literal["paper", "exact"] = ..., q_floor: float = ..., beta_floor: float = ...,
            inner_loss_limit: float = ..., preference: Sequence[float] = ..., reference: Sequence[float] = ...,
            pull: float = ..., limits: Mapping[str, float] = ..., limit_rate: float = ...,
            limit_tolerance: float = ...) -> None: ...
class MOML(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ...,
            hypergradient: Literal["reverse", "checkpointed", "cg", "neumann"] = ..., solver_steps: int = ...,
            solver_tolerance: float = ..., omega_step: Literal["train", "train+val", "last"] = ...,
            weighting: Union[str, Any] = ..., weighting_options: Mapping[str, Any] = ...,
            preference: Sequence[float] = ..., reference: Sequence[float] = ..., pull: float = ...,
            limits: Mapping[str, float] = ..., limit_rate: float = ..., limit_tolerance: float = ...) -> None: ...
class MoCo(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ...,
            hypergradient: Literal["reverse", "checkpointed", "cg", "neumann"] = ..., solver_steps: int = ...,
            solver_tolerance: float = ..., omega_step: Literal["train", "train+val", "last"] = ...,
            beta: float = ..., beta_exponent: float = ..., gamma: float = ..., gamma_exponent: float = ...,
            rho: float = ..., projection: Literal["softmax", "simplex"] = ...,
            gradient_scale: Literal["raw", "loss"] = ..., preference: Sequence[float] = ...,
            reference: Sequence[float] = ..., pull: float = ..., limits: Mapping[str, float] = ...,
            limit_rate: float = ..., limit_tolerance: float = ...) -> None: ...
class WCMHGD(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ...,
            hypergradient: Literal["reverse", "checkpointed", "cg", "neumann"] = ..., solver_steps: int = ...,
            solver_tolerance: float = ..., omega_step: Literal["train", "train+val", "last"] = ...,
            weighting: Union[str, Any] = ..., weighting_options: Mapping[str, Any] = ...,
            preference: Sequence[float] = ..., reference: Sequence[float] = ..., pull: float = ...,
            limits: Mapping[str, float] = ..., limit_rate: float = ..., limit_tolerance: float = ...) -> None: ...
class BOME(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ..., phi: Literal["gradient", "value"] = ...,
            phi_scale: float = ..., q_floor: float = ...) -> None: ...
class BVFIM(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ..., model_steps: int = ...,
            model_step_size: float = ..., inner_batches: Literal["fresh", "one"] = ..., value_ridge: float = ...,
            model_ridge: float = ..., barrier: float = ..., barrier_offset: float = ...) -> None: ...
class AutoLambda(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ...,
            hypergradient: Literal["reverse", "checkpointed", "cg", "neumann"] = ..., solver_steps: int = ...,
            solver_tolerance: float = ..., omega_step: Literal["train", "train+val", "last"] = ...) -> None: ...
class F2SA(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_batches: Literal["fresh", "one"] = ..., penalty: float = ...,
            penalty_exponent: float = ...) -> None: ...
class GMOBA(Method):
    def __init__(self, *, system_step_size: float = ...) -> None: ...
class MORBiT(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ...,
            inner_start: Literal["current", "initial", "upper"] = ...,
            inner_batches: Literal["fresh", "one"] = ...,
            hypergradient: Literal["reverse", "checkpointed", "cg", "neumann"] = ..., solver_steps: int = ...,
            solver_tolerance: float = ..., omega_step: Literal["train", "train+val", "last"] = ...,
            gamma: float = ..., gamma_exponent: float = ...) -> None: ...
class WCPenalty(Method):
    def __init__(self, *, preference: Sequence[float] = ..., penalty: float = ..., penalty_exponent: float = ...,
            gamma: float = ..., gamma_exponent: float = ...) -> None: ...
class ForumSingle(Method):
    def __init__(self, *, inner_step_size: float = ..., recentre_every: int = ..., rho: float = ...,
            beta_exponent: float = ..., multiplier: Literal["paper", "exact"] = ...,
            upper_gradients: Literal["raw", "unit"] = ...) -> None: ...
class NSGA2(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ..., upper_evaluations: int = ...,
            range: float = ..., seed: int = ..., population: int = ..., crossover: float = ...,
            crossover_index: float = ..., mutation: float = ..., mutation_index: float = ...,
            archive: int = ...) -> None: ...
class TPE(Method):
    def __init__(self, *, inner_steps: int = ..., inner_step_size: float = ..., upper_evaluations: int = ...,
            range: float = ..., seed: int = ..., trials: int = ..., startup: int = ..., good_share: float = ...,
            candidates: int = ...) -> None: ...
class STL(Method):
    def __init__(self) -> None: ...
