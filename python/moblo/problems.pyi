# Written by tools/python_stubs; do not edit.
from typing import Any, ClassVar, Dict, Iterable, Literal, Mapping, Optional, Sequence, Tuple, Union

from ._native import AnyProblem

def synthetic(seed: int = ..., *, alpha: float = ..., omega: Sequence[float] = ...,
        dtype: Literal["f32", "f64"] = ..., tasks: bool = ...) -> AnyProblem: ...
def quadratic(seed: int = ..., *, n: int = ..., p: int = ..., m: int = ..., condition: float = ...,
        upper_curvature: float = ..., dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def double_well(seed: int = ..., *, tilt: float = ..., alpha: float = ..., omega: Sequence[float] = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def front_quadratic(seed: int = ..., *, dimension: int = ..., condition: float = ..., start: float = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def front_fonseca(seed: int = ..., *, dimension: int = ..., condition: float = ..., start: float = ...,
        dtype: Literal["f32", "f64"] = ..., half_distance: float = ...) -> AnyProblem: ...
def front_octant(seed: int = ..., *, dimension: int = ..., condition: float = ..., start: float = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def noisy_regression(seed: int = ..., *, tasks: int = ..., samples: int = ..., trusted: int = ...,
        features: int = ..., hidden: int = ..., batch: int = ..., spoilt: float = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def sine_waves(seed: int = ..., *, lines: bool = ..., tasks: int = ..., batch: int = ..., shots: int = ...,
        queries: int = ..., hidden: int = ..., proximal: float = ..., test_tasks: int = ..., test_steps: int = ...,
        test_step_size: float = ..., dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def decays(seed: int = ..., *, classes: int = ..., features: int = ..., informative: int = ..., samples: int = ...,
        held_out: int = ..., test: int = ..., hidden: int = ..., batch: int = ..., wrong: float = ...,
        disturbed: float = ..., dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def fairness(seed: int = ..., *, dataset: Literal["adult", "compas", "file"] = ..., data: str = ...,
        file: str = ..., label: str = ..., positive: str = ..., split: str = ..., protected: str = ...,
        groups: Sequence[str] = ..., left_out: Sequence[str] = ..., numbers: Sequence[str] = ...,
        amounts: Sequence[str] = ..., categories: Sequence[str] = ...,
        weights: Literal["group_label", "sample"] = ..., measure: Literal["parity", "opportunity"] = ...,
        train: int = ..., validation: int = ..., select: int = ..., test: int = ..., hidden: int = ...,
        ridge: float = ..., batch: int = ..., validation_batch: int = ...,
        baseline: Literal["none", "unweighted", "reweighing", "penalty"] = ..., penalty: float = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def hyper_cleaning(seed: int = ..., *, datasets: Sequence[str] = ..., data: str = ..., train: int = ...,
        upper: int = ..., select: int = ..., test: int = ..., wrong: float = ...,
        noise: Literal["other_class", "any_class"] = ..., weights: Literal["equal", "truth"] = ...,
        hidden: Sequence[float] = ..., extra_layers: int = ..., batch: int = ...,
        dtype: Literal["f32", "f64"] = ...) -> AnyProblem: ...
def multi_mnist(seed: int = ..., *, data: str = ..., batch: int = ...,
        networks: Literal["shared", "separate"] = ..., upper: Literal["validation", "train"] = ...,
        training: Literal["train", "train+validation"] = ..., dtype: Literal["f32", "f64"] = ..., train: int = ...,
        validation: int = ..., select: int = ..., test: int = ..., first_channels: int = ...,
        second_channels: int = ..., features: int = ...) -> AnyProblem: ...
def multi_fashion(seed: int = ..., *, data: str = ..., batch: int = ...,
        networks: Literal["shared", "separate"] = ..., upper: Literal["validation", "train"] = ...,
        training: Literal["train", "train+validation"] = ..., dtype: Literal["f32", "f64"] = ..., train: int = ...,
        validation: int = ..., select: int = ..., test: int = ..., first_channels: int = ...,
        second_channels: int = ..., features: int = ...) -> AnyProblem: ...
def office31(seed: int = ..., *, data: str = ..., batch: int = ..., networks: Literal["shared", "separate"] = ...,
        upper: Literal["validation", "train"] = ..., training: Literal["train", "train+validation"] = ...,
        dtype: Literal["f32", "f64"] = ..., backbone: Literal["frozen_squeezenet", "resnet18"] = ...,
        weights: str = ..., hidden: int = ..., dropout: float = ...) -> AnyProblem: ...
def nyuv2(seed: int = ..., *, data: str = ..., batch: int = ..., networks: Literal["shared", "separate"] = ...,
        upper: Literal["validation", "train"] = ..., training: Literal["train", "train+validation"] = ...,
        dtype: Literal["f32", "f64"] = ..., height: int = ..., width: int = ..., validation: int = ...,
        depth: int = ..., first_channels: int = ..., head_channels: int = ..., rates: Sequence[float] = ...,
        weights: str = ...) -> AnyProblem: ...
def qm9(seed: int = ..., *, data: str = ..., batch: int = ..., networks: Literal["shared", "separate"] = ...,
        upper: Literal["validation", "train"] = ..., training: Literal["train", "train+validation"] = ...,
        dtype: Literal["f32", "f64"] = ..., train: int = ..., validation: int = ..., hidden: int = ...,
        edge_hidden: int = ..., passes: int = ..., readout_steps: int = ...) -> AnyProblem: ...
