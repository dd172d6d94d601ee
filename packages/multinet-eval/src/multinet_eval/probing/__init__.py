"""Tests of perception: questions about moments of tasks, graded against the world, and causes of errors in play.

A `Scene` is a moment as shown to a model, and a `Probe` a kind of question about it; `diagnosis` distinguishes errors
of seeing, planning and acting in played episodes.
"""
