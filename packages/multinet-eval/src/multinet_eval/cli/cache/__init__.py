"""``multinet cache ...``: the tables of states that the solver keeps on disk."""
