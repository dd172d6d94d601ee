"""What models see, and what their errors come from: questions about moments of tasks, graded against the world.

A `Scene` is a moment that is shown, a `Probe` a kind of question about it; `diagnosis` tells errors of seeing, planning
and acting apart in episodes that are played.
"""
