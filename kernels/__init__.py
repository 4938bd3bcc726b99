"""Numba-JIT kernels: arrays in, arrays out, no strings. Installed as ``dbgraph_nb.kernels``."""

if __name__ != "dbgraph_nb.kernels":
    raise ImportError("import this package as dbgraph_nb.kernels, not as a top-level package")
