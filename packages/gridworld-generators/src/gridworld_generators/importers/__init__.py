"""Importers of levels in text form."""
