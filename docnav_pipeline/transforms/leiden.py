"""Leiden partitions of a weighted graph: the one module that imports igraph and leidenalg."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assets_store.errors import ModelError

Members = npt.NDArray[np.int64]


def leiden(
    n: int, source: npt.NDArray[np.int64], target: npt.NDArray[np.int64], weight: npt.NDArray[np.float64], resolution: float, seed: int
) -> Members:
    """Community of each of n nodes, int64 [n], numbered 0.. by their first node.

    source, target, weight: undirected edges, each once, weights above 0. The same input and seed give the same partition.
    Quality: modularity with a resolution (Reichardt and Bornholdt). Source: Traag, Waltman and van Eck, 2019.
    Raises ModelError where the packages are absent.
    """
    if n == 0:
        return np.zeros(0, np.int64)
    try:
        import igraph
        import leidenalg
    except ImportError as error:
        raise ModelError(
            "communities need the packages igraph and leidenalg: install the extra `pipeline` (pip install docnav[pipeline])"
        ) from error
    graph = igraph.Graph(n=n, edges=np.stack([source, target], axis=1).tolist())
    partition = leidenalg.find_partition(
        graph,
        leidenalg.RBConfigurationVertexPartition,
        weights=weight.tolist(),
        resolution_parameter=resolution,
        n_iterations=-1,
        seed=seed,
    )
    _, first, members = np.unique(np.array(partition.membership, np.int64), return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    return np.asarray(order[members], np.int64)
