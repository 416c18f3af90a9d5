"""Qwen2.5-VL and Qwen3-VL in process: the inspect-ai model provider `qwen-vl/PATH_OR_ID`.

`options` and `revisions` say what to load, `loader` loads it, `predictor` generates, `batching` gathers requests,
`provider` is what inspect-ai calls. Nothing heavy is imported before a model is asked for.
"""
