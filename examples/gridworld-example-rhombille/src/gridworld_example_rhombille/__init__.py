"""The rhombille tiling."""
