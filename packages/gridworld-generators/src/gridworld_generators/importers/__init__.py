"""Importers of levels in text form, a module each."""
