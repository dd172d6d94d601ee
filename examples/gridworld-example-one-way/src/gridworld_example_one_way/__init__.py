"""One-way floors."""
