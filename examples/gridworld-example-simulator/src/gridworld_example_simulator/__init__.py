"""A backend around a simulator of its own."""

from gridworld.hookspecs import BackendInfo

WAREHOUSE = BackendInfo(
    "warehouse", "A robot in a warehouse, with rules of its own.", f"{__name__}.backend:WarehouseBackend"
)
